-- Another shard with recipients of the same message may be first: it wrote the same row. Rows come sorted by
-- (tenant, id), so that two shards wait for each other in one order.
insert into message (
    tenant_key, message_key, message_id, conversation_id, conversation_kind, conversation_name, member_count,
    is_e2ee, sender_user, sender_name, sender_device, counts_unread, wants_push, sent_at, expires_at,
    notification, payload, wants_wake)
select * from unnest(
    $1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::smallint[], $6::text[], $7::integer[],
    $8::boolean[], $9::text[], $10::text[], $11::text[], $12::boolean[], $13::boolean[], $14::timestamptz[],
    $15::timestamptz[], $16::bytea[], $17::bytea[], $18::boolean[])
on conflict do nothing
