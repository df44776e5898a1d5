-- The users' tokens, sealed. Served by device_token_user.
with wanted as (
    select u.user_key
    from unnest($1::bigint[], $2::text[]) as named (tenant_key, user_id)
    join app_user u on u.tenant_key = named.tenant_key and u.user_id = named.user_id
    union
    select unnest($3::bigint[])
)
select t.device_key, t.token_key, t.transport, t.environment, t.topic, t.sealed, t.key_id, t.lookup,
    t.registered_at
from wanted
join device_token t on t.user_key = wanted.user_key
order by t.device_key, t.token_key
