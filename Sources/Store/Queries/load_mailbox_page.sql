-- A page of one mailbox with the messages' texts, read in the order of its primary key: a page costs a page.
select e.mailbox_seq, e.materialised_at, e.kind, e.conversation_id, e.other_seq, e.mention, e.counts_unread,
    e.is_muted, e.muted_until, e.message_id, e.device_id,
    m.message_key, m.message_id, m.conversation_id, m.conversation_kind, m.conversation_name, m.member_count,
    m.is_e2ee, m.sender_user, m.sender_name, m.sender_device, m.counts_unread, m.wants_push, m.sent_at,
    m.expires_at, m.notification, m.payload, m.wants_wake
from mailbox_entry e
left join message m on m.message_key = e.message_key
where e.user_key = (select user_key from app_user where tenant_key = $1::bigint and user_id = $2::text)
    and e.mailbox_seq > $3::bigint
order by e.mailbox_seq
limit $4::integer
