-- Tasks that wait for something else now. Served by the primary key, in any plan (see delete_tasks); touches
-- no index.
update push_task set state = moved.state, due_at = moved.due_at, attempts = moved.attempts
from (
    select unnest($1::bigint[]) as user_key, unnest($2::bigint[]) as device_key,
        unnest($3::bigint[]) as mailbox_seq, unnest($4::smallint[]) as state,
        unnest($5::timestamptz[]) as due_at, unnest($6::smallint[]) as attempts
) as moved
where push_task.user_key = any (array[moved.user_key]) and push_task.device_key = moved.device_key
    and push_task.mailbox_seq = moved.mailbox_seq
