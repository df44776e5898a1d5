-- The tenant and, by cascade, its keys, credentials, users, devices and tokens. Runs last of its transaction.
delete from tenant where tenant_key = $1::bigint
