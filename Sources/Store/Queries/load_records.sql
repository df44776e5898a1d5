-- What the pushes of users have left. Served by the primary key, in any plan (see load_tails).
select r.user_key, r.is_owed, r.record
from (select unnest($1::bigint[]) as user_key) as wanted
cross join lateral (select * from user_push_record where user_key = wanted.user_key offset 0) as r
