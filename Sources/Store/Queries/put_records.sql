-- What the first pushes of users have left their devices with. Who was removed meanwhile gets no row: looked
-- for, not locked, which cost more than the row. Served by the primary keys, in any plan (see load_users).
insert into user_push_record (user_key, shard, is_owed, record)
select living.user_key, $1::smallint, newer.is_owed, newer.record
from (
    select unnest($2::bigint[]) as user_key, unnest($3::boolean[]) as is_owed, unnest($4::bytea[]) as record
) as newer
cross join lateral (select user_key from app_user where user_key = newer.user_key offset 0) as living
on conflict (user_key) do update set is_owed = excluded.is_owed, record = excluded.record
