-- Tasks that are over; their outcomes are inserted by the same transaction. Served by the primary key.
delete from push_task
using unnest($1::bigint[], $2::bigint[], $3::bigint[]) as over (user_key, device_key, mailbox_seq)
where push_task.user_key = over.user_key and push_task.device_key = over.device_key
    and push_task.mailbox_seq = over.mailbox_seq
