-- First half of a replacement: both halves run in one transaction.
delete from client_key where tenant_key = $1::bigint
