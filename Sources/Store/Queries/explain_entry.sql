-- The entry of a message in a user's mailbox. Served by the unique keys of app_user and message, and by
-- mailbox_entry_message_once.
select e.mailbox_seq, e.materialised_at, e.mention, m.sender_user, m.wants_push
from app_user u
join message m on m.tenant_key = u.tenant_key and m.message_id = $2::text
join mailbox_entry e on e.user_key = u.user_key and e.message_key = m.message_key and e.kind = 1
where u.tenant_key = $1::bigint and u.user_id = $3::text
