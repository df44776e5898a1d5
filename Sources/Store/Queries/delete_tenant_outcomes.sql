-- What is recorded of a tenant's users. Served by push_outcome_entry.
delete from push_outcome where user_key in (select user_key from app_user where tenant_key = $1::bigint)
