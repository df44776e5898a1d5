-- The messages of the users' open tasks, each once. Served by the primary keys, in any plan (see
-- delete_tasks).
with wanted as materialized (select unnest($1::bigint[]) as user_key)
select m.message_key, m.message_id, m.conversation_id, m.conversation_kind, m.conversation_name,
    m.member_count, m.is_e2ee, m.sender_user, m.sender_name, m.sender_device, m.counts_unread, m.wants_push,
    m.sent_at, m.expires_at, m.notification, m.payload, m.wants_wake
from (
    select distinct t.message_key
    from wanted join push_task t on t.user_key = any (array[wanted.user_key])
) as needed
join message m on m.message_key = any (array[needed.message_key])
