-- Which of these messages are there already, and which were taken back, also before they came. Served by
-- message_id_once and the primary key of message_recall. Each name asks by itself: joined to a table that
-- was empty when the statement was planned, the names would be held against all of its rows.
select named.tenant_key, named.message_id, r.recalled_at is not null, m.message_key, m.message_id,
    m.conversation_id, m.conversation_kind, m.conversation_name, m.member_count, m.is_e2ee, m.sender_user,
    m.sender_name, m.sender_device, m.counts_unread, m.wants_push, m.sent_at, m.expires_at, m.notification,
    m.payload, m.wants_wake
from (select unnest($1::bigint[]) as tenant_key, unnest($2::text[]) as message_id) as named
left join lateral (
    select * from message
    where message.tenant_key = named.tenant_key and message.message_id = named.message_id
    limit 1
) as m on true
left join lateral (
    select recalled_at from message_recall
    where message_recall.tenant_key = named.tenant_key and message_recall.message_id = named.message_id
    limit 1
) as r on true
where m.message_key is not null or r.recalled_at is not null
