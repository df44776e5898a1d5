-- The users of a shard whom time alone concerns by now, the earliest first. Served by user_wake_due.
select user_key from user_wake where shard = $1::smallint and wakes_at <= $2::timestamptz
order by wakes_at limit $3::integer
