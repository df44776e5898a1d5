-- The entry of a message in a user's mailbox. The two scalar questions first, by their unique keys, so that
-- mailbox_entry_message_once is read by both its columns.
select e.mailbox_seq, e.materialised_at, e.mention, m.sender_user, m.wants_push
from mailbox_entry e
join message m on m.message_key = e.message_key
where e.kind = 1
    and e.user_key = (select user_key from app_user where tenant_key = $1::bigint and user_id = $3::text)
    and e.message_key =
        (select message_key from message where tenant_key = $1::bigint and message_id = $2::text)
