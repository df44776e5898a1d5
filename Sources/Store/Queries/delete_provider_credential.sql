-- One row, or none if there was no credential.
delete from provider_credential where tenant_key = $1::bigint and provider = $2::text
