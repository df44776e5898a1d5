-- The provider token minted last for a key, if any.
select issued_at, sealed from provider_token where tenant_key = $1::bigint and key_id = $2::text
