-- What the users' devices can be woken by, as the digest log has it, and what the sender needs for it; in one
-- snapshot; and whether another user holds the token, too. Served by device_token_digest_user, device_token's
-- primary key and device_token_lookup.
with wanted as materialized (select unnest($1::bigint[]) as user_key)
select g.device_key, exists (
        select from device_token o
        where o.tenant_key = t.tenant_key and o.lookup = t.lookup and o.user_key <> t.user_key
    ) as is_shared, x.token_key, x.transport, x.environment, x.registered_at, t.topic, t.sealed, t.key_id,
    t.lookup
from wanted
join device_token_digest g on g.user_key = any (array[wanted.user_key])
cross join lateral unnest(g.token_keys, g.transports, g.environments, g.registered_at)
    as x (token_key, transport, environment, registered_at)
left join lateral (select * from device_token where token_key = x.token_key offset 0) as t on true
order by g.device_key, x.token_key
