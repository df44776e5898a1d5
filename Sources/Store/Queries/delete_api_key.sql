-- One row, or none if there is no such key.
delete from api_key where tenant_key = $1::bigint and prefix = $2::text
