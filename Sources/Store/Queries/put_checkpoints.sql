-- A checkpoint only ever moves forward. Who was removed meanwhile gets none (see put_records).
insert into user_checkpoint (user_key, through_seq, projection)
select living.user_key, newer.through_seq, newer.projection
from (
    select unnest($1::bigint[]) as user_key, unnest($2::bigint[]) as through_seq,
        unnest($3::bytea[]) as projection
) as newer
cross join lateral (select user_key from app_user where user_key = newer.user_key offset 0) as living
on conflict (user_key) do update set through_seq = excluded.through_seq, projection = excluded.projection
where user_checkpoint.through_seq <= excluded.through_seq
