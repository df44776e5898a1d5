-- The open tasks of users. Served by push_task's primary key.
delete from push_task where user_key = any ($1::bigint[])
