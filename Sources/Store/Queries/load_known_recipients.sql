-- Of the users named with each message, those who have its entry, and where. Asked only about
-- messages that are known. Served by app_user's unique key and mailbox_entry_message_once.
select asked.message_key, u.user_id, e.mailbox_seq
from unnest($1::bigint[], $2::bigint[], $3::text[]) as asked (message_key, tenant_key, user_id)
join app_user u on u.tenant_key = asked.tenant_key and u.user_id = asked.user_id
join mailbox_entry e on e.user_key = u.user_key and e.message_key = asked.message_key and e.kind = 1
