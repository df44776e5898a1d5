-- The outcomes of a message for a user's devices, oldest first.
-- Served as explain_entry, and by push_outcome_entry.
select d.device_id, o.mailbox_seq, o.outcome, o.reason, o.ended_at, o.trace
from app_user u
join message m on m.tenant_key = u.tenant_key and m.message_id = $2::text
join mailbox_entry e on e.user_key = u.user_key and e.message_key = m.message_key and e.kind = 1
join push_outcome o on o.user_key = e.user_key and o.mailbox_seq = e.mailbox_seq
join device d on d.device_key = o.device_key
where u.tenant_key = $1::bigint and u.user_id = $3::text
order by o.ended_at
