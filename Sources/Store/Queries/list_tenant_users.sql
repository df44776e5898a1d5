-- Some users of a tenant. Served by app_user's unique key.
select user_key from app_user where tenant_key = $1::bigint limit $2::integer
