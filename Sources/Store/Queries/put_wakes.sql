-- When users have to be looked at; of those without a time the row goes. Served by the primary key.
with wanted as (
    select * from unnest($2::bigint[], $3::timestamptz[]) as wanted (user_key, wakes_at)
), gone as (
    delete from user_wake using wanted
    where user_wake.user_key = wanted.user_key and wanted.wakes_at is null
)
insert into user_wake (user_key, shard, wakes_at)
select user_key, $1::smallint, wakes_at from wanted where wakes_at is not null
on conflict (user_key) do update set wakes_at = excluded.wakes_at
