-- A prefix is unique in its tenant, a key everywhere.
insert into api_key (tenant_key, prefix, key_hash, name, created_at)
values ($1::bigint, $2::text, $3::bytea, $4::text, $5::timestamptz)
