-- The messages of entries that covers of the users may have to show anew, without their payloads. Served by
-- the primary keys, in any plan (see delete_tasks, load_tails).
select e.user_key, e.mailbox_seq, m.message_key, m.message_id, m.conversation_id, m.conversation_kind,
    m.conversation_name, m.member_count, m.is_e2ee, m.sender_user, m.sender_name, m.sender_device,
    m.counts_unread, m.wants_push, m.sent_at, m.expires_at, m.notification, ''::bytea, m.wants_wake
from (select unnest($1::bigint[]) as user_key, unnest($2::bigint[]) as mailbox_seq) as shown
cross join lateral (
    select user_key, mailbox_seq, message_key from mailbox_entry
    where user_key = shown.user_key and mailbox_seq = shown.mailbox_seq
    offset 0
) as e
join message m on m.message_key = any (array[e.message_key])
