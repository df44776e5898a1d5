-- What the pushes of users who have a row have left their devices with. Without the lock that `on conflict`
-- takes before it writes this costs the half. Served by the primary key, in any plan (see delete_tasks).
update user_push_record
set is_owed = newer.is_owed, record = newer.record, shown_seqs = null
from (
    select unnest($1::bigint[]) as user_key, unnest($2::boolean[]) as is_owed, unnest($3::bytea[]) as record
) as newer
where user_push_record.user_key = any (array[newer.user_key])
