-- How tasks, and entries that never had one, ended.
insert into push_outcome (user_key, device_key, mailbox_seq, outcome, reason, ended_at, trace)
select * from unnest(
    $1::bigint[], $2::bigint[], $3::bigint[], $4::smallint[], $5::smallint[], $6::timestamptz[], $7::bytea[])
