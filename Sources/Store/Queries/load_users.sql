-- Users by name or by key, with their checkpoints and settings. Served by app_user's unique key and the
-- primary keys.
with wanted as (
    select u.user_key
    from unnest($1::bigint[], $2::text[]) as named (tenant_key, user_id)
    join app_user u on u.tenant_key = named.tenant_key and u.user_id = named.user_id
    union
    select unnest($3::bigint[])
)
select u.user_key, u.tenant_key, u.user_id, u.mailbox_id, u.first_seq, c.through_seq, c.projection,
    s.quiet_start, s.quiet_end, s.time_zone, s.locale
from wanted
join app_user u on u.user_key = wanted.user_key
left join user_checkpoint c on c.user_key = u.user_key
left join user_settings s on s.user_key = u.user_key
order by u.user_key
