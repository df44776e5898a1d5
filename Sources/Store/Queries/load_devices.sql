-- The users' devices: what each can be woken by, as the digest log has it, what the sender needs for it, and
-- whether another user holds the token, too; in one snapshot. A row for each token, those of a device
-- together; a device without tokens has one row. Served by device's unique key, the primary keys of
-- device_token_digest and device_token, and device_token_lookup, in any plan (see delete_tasks).
with wanted as materialized (select unnest($1::bigint[]) as user_key)
select d.user_key, d.device_key, d.device_id, d.applied_seq, d.known_since_seq, d.locale, d.time_zone,
    d.app_version, d.registered_at, d.last_seen, d.is_signed_out, d.logged_out_at, d.voip_day, d.voip_used,
    exists (
        select from device_token o
        where o.tenant_key = t.tenant_key and o.lookup = t.lookup and o.user_key <> t.user_key
    ) as is_shared, g.token_key, g.transport, g.environment, g.registered_at, t.topic, t.sealed, t.key_id,
    t.lookup
from wanted
join device d on d.user_key = any (array[wanted.user_key])
left join lateral (
    select unnest(token_keys) as token_key, unnest(transports) as transport,
        unnest(environments) as environment, unnest(registered_at) as registered_at
    from device_token_digest
    where device_key = d.device_key
) as g on true
left join lateral (select * from device_token where token_key = g.token_key offset 0) as t on true
order by d.user_key, d.device_key, g.token_key
