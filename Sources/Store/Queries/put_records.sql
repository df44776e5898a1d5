-- What the first pushes of users have left their devices with. Served by the primary key.
insert into user_push_record (user_key, shard, is_owed, record)
select unnest($2::bigint[]), $1::smallint, unnest($3::boolean[]), unnest($4::bytea[])
on conflict (user_key) do update set is_owed = excluded.is_owed, record = excluded.record
