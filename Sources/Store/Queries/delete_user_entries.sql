-- The mailboxes of users. Served by mailbox_entry's primary key.
delete from mailbox_entry where user_key = any ($1::bigint[])
