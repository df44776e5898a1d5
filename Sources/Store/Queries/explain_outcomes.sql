-- The outcomes of a message for a user's devices, oldest first.
-- Served as explain_entry, and by push_outcome_entry.
select d.device_id, o.mailbox_seq, o.outcome, o.reason, o.ended_at, o.trace
from push_outcome o
join device d on d.device_key = o.device_key
where o.user_key = (select user_key from app_user where tenant_key = $1::bigint and user_id = $3::text)
    and o.mailbox_seq = (
        select e.mailbox_seq from mailbox_entry e
        where e.kind = 1
            and e.user_key =
                (select user_key from app_user where tenant_key = $1::bigint and user_id = $3::text)
            and e.message_key = (
                select message_key from message where tenant_key = $1::bigint and message_id = $2::text))
order by o.ended_at
