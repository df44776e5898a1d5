-- The tenant and, by cascade, its keys and credentials. Its users and messages are gone before.
delete from tenant where tenant_key = $1::bigint
