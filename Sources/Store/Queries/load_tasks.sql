-- The users' open tasks, in order, and whether their messages were taken back. Served by push_task's primary
-- key and the message's, in any plan (see delete_tasks), and by mailbox_entry_recall_once: a
-- scalar question, so that this index is read by key.
with wanted as materialized (select unnest($1::bigint[]) as user_key)
select t.user_key, t.device_key, t.mailbox_seq, t.task_key, t.message_key, t.materialised_at, t.due_at,
    t.state, t.mention, t.attempts,
    (
        select true from mailbox_entry r
        where r.user_key = t.user_key and r.kind = 3 and r.message_id = m.message_id
    ) is not null
from wanted
join push_task t on t.user_key = any (array[wanted.user_key])
join message m on m.message_key = any (array[t.message_key])
order by wanted.user_key, t.mailbox_seq
