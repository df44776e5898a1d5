-- Of these tokens, those that another user holds, too. Served by the primary key and device_token_lookup.
select t.token_key
from unnest($1::bigint[]) as asked (token_key)
join device_token t on t.token_key = asked.token_key
where exists (
    select from device_token o
    where o.tenant_key = t.tenant_key and o.lookup = t.lookup and o.user_key <> t.user_key
)
