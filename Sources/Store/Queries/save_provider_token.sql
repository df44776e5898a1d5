-- Keeps the newest token of a key: an older one never replaces it.
insert into provider_token (tenant_key, key_id, issued_at, sealed)
values ($1::bigint, $2::text, $3::timestamptz, $4::bytea)
on conflict (tenant_key, key_id) do update
set issued_at = excluded.issued_at, sealed = excluded.sealed
where provider_token.issued_at <= excluded.issued_at
