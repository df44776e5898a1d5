-- Users by name or by key, each once, with their checkpoints, their settings and what their pushes have left.
-- Served by app_user's unique key and the primary keys. Each user asks by itself (`limit 1`), so that no plan
-- made while a table was empty reads it whole.
select distinct on (u.user_key) u.user_key, u.tenant_key, u.user_id, u.mailbox_id, u.first_seq, c.through_seq,
    c.projection, s.quiet_start, s.quiet_end, s.time_zone, s.locale, r.is_owed, r.record
from (
    select n.user_key, n.tenant_key, n.user_id, n.mailbox_id, n.first_seq
    from (select unnest($1::bigint[]) as tenant_key, unnest($2::text[]) as user_id) as named
    cross join lateral (
        select * from app_user where tenant_key = named.tenant_key and user_id = named.user_id offset 0
    ) as n
    union all
    select k.user_key, k.tenant_key, k.user_id, k.mailbox_id, k.first_seq
    from (select unnest($3::bigint[]) as user_key) as keyed
    cross join lateral (select * from app_user where user_key = keyed.user_key offset 0) as k
) as u
left join lateral (select * from user_checkpoint where user_key = u.user_key limit 1) as c on true
left join lateral (select * from user_settings where user_key = u.user_key limit 1) as s on true
left join lateral (select * from user_push_record where user_key = u.user_key limit 1) as r on true
order by u.user_key
