-- Of the users named with each message, those who have its entry, and where.
-- Asked only about messages that are known. The lateral, limited part keeps the
-- order: user first, then mailbox_entry_message_once by both its columns.
select asked.message_key, asked.user_id, found.mailbox_seq
from unnest($1::bigint[], $2::bigint[], $3::text[]) as asked (message_key, tenant_key, user_id)
cross join lateral (
    select e.mailbox_seq
    from mailbox_entry e
    where e.kind = 1 and e.message_key = asked.message_key
        and e.user_key = (
            select u.user_key from app_user u
            where u.tenant_key = asked.tenant_key and u.user_id = asked.user_id)
    limit 1
) as found
