-- How tasks, and entries that never had one, ended.
insert into push_outcome (user_key, device_key, mailbox_seq, outcome, reason, ended_at, trace)
select
    unnest($1::bigint[]), unnest($2::bigint[]), unnest($3::bigint[]), unnest($4::smallint[]),
    unnest($5::smallint[]), unnest($6::timestamptz[]), unnest($7::bytea[])
