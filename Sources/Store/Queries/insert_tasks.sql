-- New tasks of the shard $1; one per (user, device, entry). They may have waited: who was removed meanwhile
-- has none. Served by app_user's primary key.
insert into push_task (
    shard, user_key, device_key, mailbox_seq, task_key, message_key, mention, state, materialised_at, due_at)
select $1::smallint, made.*
from (
    select
        unnest($2::bigint[]) as user_key, unnest($3::bigint[]), unnest($4::bigint[]), unnest($5::bigint[]),
        unnest($6::bigint[]), unnest($7::smallint[]), unnest($8::smallint[]), unnest($9::timestamptz[]),
        unnest($10::timestamptz[])
) as made
where (select true from app_user where app_user.user_key = made.user_key)
