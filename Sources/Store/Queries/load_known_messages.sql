-- Which of these messages are there already. Served by message_id_once.
select m.tenant_key, m.message_key, m.message_id, m.conversation_id, m.conversation_kind, m.conversation_name,
    m.member_count, m.is_e2ee, m.sender_user, m.sender_name, m.sender_device, m.counts_unread, m.wants_push,
    m.sent_at, m.expires_at, m.notification, m.payload, m.wants_wake
from unnest($1::bigint[], $2::text[]) as named (tenant_key, message_id)
join message m on m.tenant_key = named.tenant_key and m.message_id = named.message_id
