-- Users of a shard whose mailboxes have a message and not yet its recall, by their keys. Served by
-- message_id_once, mailbox_entry_message and mailbox_entry_recall_once.
select u.tenant_key, u.user_id, e.mailbox_seq, e.conversation_id
from message m
join mailbox_entry e on e.message_key = m.message_key and e.kind = 1
join app_user u on u.user_key = e.user_key and u.shard = $1::smallint
where m.tenant_key = $2::bigint and m.message_id = $3::text
    and not exists (
        select from mailbox_entry r
        where r.user_key = e.user_key and r.kind = 3 and r.message_id = m.message_id)
order by e.user_key
limit $4::integer
