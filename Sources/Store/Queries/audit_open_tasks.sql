-- Which of these tasks are open still, with the ids of their devices. Served by the primary keys.
select t.user_key, t.device_key, t.mailbox_seq, d.device_id
from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as asked (user_key, device_key, mailbox_seq)
join push_task t on t.user_key = asked.user_key and t.device_key = asked.device_key
    and t.mailbox_seq = asked.mailbox_seq
join device d on d.device_key = t.device_key
