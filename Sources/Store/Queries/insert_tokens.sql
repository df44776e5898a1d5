-- A token that someone else of the tenant holds violates device_token_lookup. Rows come sorted by lookup.
insert into device_token (
    token_key, tenant_key, user_key, device_key, transport, environment, topic, sealed, key_id, lookup,
    registered_at)
select * from unnest(
    $1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::smallint[], $6::smallint[], $7::text[],
    $8::bytea[], $9::text[], $10::bytea[], $11::timestamptz[])
