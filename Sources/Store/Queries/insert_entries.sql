-- Entries of all kinds; a seq or a message that the mailbox has already fails the transaction.
insert into mailbox_entry (
    user_key, mailbox_seq, kind, materialised_at, message_key, other_seq, mention, counts_unread, is_muted,
    muted_until, conversation_id, message_id, device_id)
select * from unnest(
    $1::bigint[], $2::bigint[], $3::smallint[], $4::timestamptz[], $5::bigint[], $6::bigint[], $7::smallint[],
    $8::boolean[], $9::boolean[], $10::timestamptz[], $11::text[], $12::text[], $13::text[])
