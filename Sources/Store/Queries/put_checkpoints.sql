-- A checkpoint only ever moves forward.
insert into user_checkpoint (user_key, through_seq, projection)
select * from unnest($1::bigint[], $2::bigint[], $3::bytea[])
on conflict (user_key) do update set through_seq = excluded.through_seq, projection = excluded.projection
where user_checkpoint.through_seq <= excluded.through_seq
