-- Users of a shard whose mailboxes have a message and not yet its recall. Served by message_id_once,
-- mailbox_entry_order and mailbox_entry_recall_once; `+ 0`, so that an index that begins with the user, and
-- would have to be read whole, is none of the choices.
with entry as materialized (
    select e.user_key, e.mailbox_seq, e.conversation_id
    from mailbox_entry e
    where e.message_key = (
            select m.message_key from message m
            where m.tenant_key = $2::bigint and m.message_id = $3::text)
        and e.kind + 0 = 1
)
select u.tenant_key, u.user_id, e.mailbox_seq, e.conversation_id
from entry e
join app_user u on u.user_key = e.user_key
where u.shard = $1::smallint
    and not exists (
        select from mailbox_entry r
        where r.user_key = e.user_key and r.kind = 3 and r.message_id = $3::text)
order by e.user_key
limit $4::integer
