-- Entries of all kinds; a seq or a message that the mailbox has already fails the transaction.
insert into mailbox_entry (
    user_key, mailbox_seq, kind, materialised_at, message_key, other_seq, mention, counts_unread, is_muted,
    muted_until, conversation_id, message_id, device_id)
select
    unnest($1::bigint[]), unnest($2::bigint[]), unnest($3::smallint[]), unnest($4::timestamptz[]),
    unnest($5::bigint[]), unnest($6::bigint[]), unnest($7::smallint[]), unnest($8::boolean[]),
    unnest($9::boolean[]), unnest($10::timestamptz[]), unnest($11::text[]), unnest($12::text[]),
    unnest($13::text[])
