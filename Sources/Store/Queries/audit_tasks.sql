-- A page of open tasks behind a place, in the order of their key, with the names of their users: what the
-- memory of the shards has to know. Served by push_task's and app_user's primary keys.
select t.user_key, t.device_key, t.mailbox_seq, u.tenant_key, u.user_id
from push_task t
join app_user u on u.user_key = t.user_key
where (t.user_key, t.device_key, t.mailbox_seq) > ($1::bigint, $2::bigint, $3::bigint)
order by t.user_key, t.device_key, t.mailbox_seq
limit $4::integer
