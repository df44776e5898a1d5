-- The users' devices: what each can be woken by, as the digest log has it, what the sender needs for it, and
-- whether another user holds the token, too; in one snapshot. A row for each token; a device without tokens
-- has one row. Tokens that were never shared are told by shared_token, which is small: a scalar question,
-- which no plan turns into a reading of the whole. Served by device's unique key, device_token_lookup and the
-- primary keys of device_token_digest, device_token and shared_token, in any plan (see delete_tasks).
select d.user_key, d.device_key, d.device_id, d.applied_seq, d.known_since_seq, d.locale, d.time_zone,
    d.app_version, d.registered_at, d.last_seen, d.is_signed_out, d.logged_out_at, d.voip_day, d.voip_used,
    (select true from shared_token s where s.tenant_key = t.tenant_key and s.lookup = t.lookup) is not null
    and exists (
        select from device_token o
        where o.tenant_key = t.tenant_key and o.lookup = t.lookup and o.user_key <> t.user_key
    ) as is_shared, g.token_key, g.transport, g.environment, g.registered_at, t.topic, t.sealed, t.key_id,
    t.lookup
from (select unnest($1::bigint[]) as user_key) as wanted
join device d on d.user_key = any (array[wanted.user_key])
left join lateral (
    select unnest(token_keys) as token_key, unnest(transports) as transport,
        unnest(environments) as environment, unnest(registered_at) as registered_at
    from device_token_digest
    where device_key = any (array[d.device_key])
) as g on true
left join device_token t on t.token_key = any (array[g.token_key])
