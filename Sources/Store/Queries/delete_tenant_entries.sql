-- The mailboxes of a tenant's users. Served by the primary keys.
delete from mailbox_entry where user_key in (select user_key from app_user where tenant_key = $1::bigint)
