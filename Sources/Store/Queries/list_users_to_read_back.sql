-- The users of a shard at whom a call rings, then those with open tasks, earliest due first, then those whose
-- devices are owed a cover or a badge. A scan of the tasks, once at opening; partial indexes serve the rest.
select user_key from (
    select user_key, '-infinity'::timestamptz as due_at from call_leg
        where shard = $1::smallint and state = 1
    union all
    select user_key, min(due_at) as due_at from push_task where shard = $1::smallint group by user_key
    union all
    select user_key, null from user_push_record where shard = $1::smallint and is_owed
) as waiting
group by user_key
order by min(due_at) nulls last
