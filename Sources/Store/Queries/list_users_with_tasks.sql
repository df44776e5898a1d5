-- The users of a shard that have open tasks, earliest due first. A scan of the table, once at opening.
select user_key from push_task where shard = $1::smallint group by user_key order by min(due_at)
