-- New tasks of the shard $1; one per (user, device, entry).
insert into push_task (
    shard, user_key, device_key, mailbox_seq, task_key, message_key, mention, state, materialised_at, due_at)
select
    $1::smallint, unnest($2::bigint[]), unnest($3::bigint[]), unnest($4::bigint[]), unnest($5::bigint[]),
    unnest($6::bigint[]), unnest($7::smallint[]), unnest($8::smallint[]), unnest($9::timestamptz[]),
    unnest($10::timestamptz[])
