-- Inserts devices or overwrites them whole; their user and id never change. Served by the primary key.
insert into device (
    device_key, user_key, device_id, applied_seq, known_since_seq, locale, time_zone, app_version,
    registered_at, last_seen, is_signed_out, logged_out_at)
select * from unnest(
    $1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::text[],
    $9::timestamptz[], $10::timestamptz[], $11::boolean[], $12::timestamptz[])
on conflict (device_key) do update
set applied_seq = excluded.applied_seq, known_since_seq = excluded.known_since_seq, locale = excluded.locale,
    time_zone = excluded.time_zone, app_version = excluded.app_version,
    registered_at = excluded.registered_at, last_seen = excluded.last_seen,
    is_signed_out = excluded.is_signed_out, logged_out_at = excluded.logged_out_at
