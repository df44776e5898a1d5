-- Tasks that are over; their outcomes are inserted by the same transaction. Served by the primary key:
-- `any (array[…])`, so that no plan made while the table was empty, as an outbox is, reads it whole.
delete from push_task
using (
    select unnest($1::bigint[]) as user_key, unnest($2::bigint[]) as device_key,
        unnest($3::bigint[]) as mailbox_seq
) as over
where push_task.user_key = any (array[over.user_key]) and push_task.device_key = over.device_key
    and push_task.mailbox_seq = over.mailbox_seq
