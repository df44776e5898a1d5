-- What the users' devices can be woken by, as the digest log has it, and what the sender needs for it; in one
-- snapshot; and whether another user holds the token, too. Served by device_token_digest_user, device_token's
-- primary key and device_token_lookup.
with wanted as (
    select u.user_key
    from unnest($1::bigint[], $2::text[]) as named (tenant_key, user_id)
    join app_user u on u.tenant_key = named.tenant_key and u.user_id = named.user_id
    union
    select unnest($3::bigint[])
)
select g.device_key, exists (
        select from device_token o
        where o.tenant_key = t.tenant_key and o.lookup = t.lookup and o.user_key <> t.user_key
    ) as is_shared, x.token_key, x.transport, x.environment, x.registered_at, t.topic, t.sealed, t.key_id,
    t.lookup
from wanted
join device_token_digest g on g.user_key = wanted.user_key
cross join lateral unnest(g.token_keys, g.transports, g.environments, g.registered_at)
    as x (token_key, transport, environment, registered_at)
left join device_token t on t.token_key = x.token_key
order by g.device_key, x.token_key
