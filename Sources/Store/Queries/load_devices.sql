-- The users' devices. Served by device's unique key.
with wanted as (
    select u.user_key
    from unnest($1::bigint[], $2::text[]) as named (tenant_key, user_id)
    join app_user u on u.tenant_key = named.tenant_key and u.user_id = named.user_id
    union
    select unnest($3::bigint[])
)
select d.user_key, d.device_key, d.device_id, d.applied_seq, d.known_since_seq, d.locale, d.time_zone,
    d.app_version, d.registered_at, d.last_seen, d.is_signed_out, d.logged_out_at,
    d.voip_day, d.voip_used
from wanted
join device d on d.user_key = wanted.user_key
order by d.user_key, d.device_key
