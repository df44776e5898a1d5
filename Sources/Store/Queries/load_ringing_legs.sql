-- What rings at the users, a row for each ring, in order; a leg without rings has one row. Served by
-- call_leg_ringing and the primary keys, in any plan (see delete_tasks, load_tails).
select wanted.user_key, c.call_key, c.call_id, c.caller_user, c.caller_name, c.is_video, c.conversation_id,
    c.data, c.started_at, c.expires_at, r.device_key, r.state, r.due_at, r.attempts, r.charged_day, r.outcome,
    r.reason
from (select unnest($1::bigint[]) as user_key) as wanted
join lateral (
    select call_key from call_leg
    where call_leg.user_key = wanted.user_key and call_leg.state = 1
    order by call_key limit 1000
) as l on true
join call c on c.call_key = any (array[l.call_key])
left join lateral (
    select * from call_ring where user_key = wanted.user_key and call_key = l.call_key offset 0
) as r on true
order by wanted.user_key, c.call_key, r.device_key
