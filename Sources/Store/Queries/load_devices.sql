-- The users' devices. Served by device's unique key.
with wanted as materialized (select unnest($1::bigint[]) as user_key)
select d.user_key, d.device_key, d.device_id, d.applied_seq, d.known_since_seq, d.locale, d.time_zone,
    d.app_version, d.registered_at, d.last_seen, d.is_signed_out, d.logged_out_at,
    d.voip_day, d.voip_used
from wanted
join device d on d.user_key = any (array[wanted.user_key])
order by d.user_key, d.device_key
