-- Another shard with recipients of the same message may be first: it wrote the same row. Both at the same
-- moment may meet in either unique index, so that none is named. Rows come sorted by (tenant, id), so that
-- two shards wait for each other in one order. Columns as sets side by side: `from unnest` would store each
-- of them anew. What is there under another key than ours was written by a transaction whose end was not
-- known when the key was given: then the whole transaction fails, and the batch is decided again.
with made as (
    insert into message (
        tenant_key, message_key, message_id, conversation_id, conversation_kind, conversation_name,
        member_count, is_e2ee, sender_user, sender_name, sender_device, counts_unread, wants_push, sent_at,
        expires_at, notification, payload, wants_wake)
    select
        unnest($1::bigint[]), unnest($2::bigint[]), unnest($3::text[]), unnest($4::text[]),
        unnest($5::smallint[]), unnest($6::text[]), unnest($7::integer[]), unnest($8::boolean[]),
        unnest($9::text[]), unnest($10::text[]), unnest($11::text[]), unnest($12::boolean[]),
        unnest($13::boolean[]), unnest($14::timestamptz[]), unnest($15::timestamptz[]), unnest($16::bytea[]),
        unnest($17::bytea[]), unnest($18::boolean[])
    on conflict do nothing
    returning 1
)
select hold_message_keys($2::bigint[])
where (select count(*) from made) < cardinality($2::bigint[])
