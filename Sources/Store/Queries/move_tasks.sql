-- Tasks that wait for something else now. Served by the primary key; touches no index.
update push_task set state = moved.state, due_at = moved.due_at, attempts = moved.attempts
from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::smallint[], $5::timestamptz[], $6::smallint[])
    as moved (user_key, device_key, mailbox_seq, state, due_at, attempts)
where push_task.user_key = moved.user_key and push_task.device_key = moved.device_key
    and push_task.mailbox_seq = moved.mailbox_seq
