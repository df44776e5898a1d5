-- Inserts or replaces the one credential of a tenant for a provider.
insert into provider_credential (tenant_key, provider, summary, sealed, created_at)
values ($1::bigint, $2::text, $3::bytea, $4::bytea, $5::timestamptz)
on conflict (tenant_key, provider) do update
set summary = excluded.summary, sealed = excluded.sealed, created_at = excluded.created_at
