-- Who holds a token of the tenant with one of these lookups. Served by device_token_lookup.
select u.user_id, d.device_id, t.lookup
from device_token t
join device d on d.device_key = t.device_key
join app_user u on u.user_key = t.user_key
where t.tenant_key = $1::bigint and t.lookup = any ($2::bytea[])
