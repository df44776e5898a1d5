-- New tasks of the shard $1; one per (user, device, entry).
insert into push_task (
    shard, user_key, device_key, mailbox_seq, task_key, message_key, mention, state, materialised_at, due_at)
select $1::smallint, * from unnest(
    $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::smallint[], $8::smallint[],
    $9::timestamptz[], $10::timestamptz[])
