-- What rings at the users, a row for each ring, in order; a leg without rings has one row. Served by
-- call_leg_ringing and the primary keys.
with wanted as (
    select u.user_key
    from unnest($1::bigint[], $2::text[]) as named (tenant_key, user_id)
    join app_user u on u.tenant_key = named.tenant_key and u.user_id = named.user_id
    union
    select unnest($3::bigint[])
)
select wanted.user_key, c.call_key, c.call_id, c.caller_user, c.caller_name, c.is_video, c.conversation_id,
    c.data, c.started_at, c.expires_at, r.device_key, r.state, r.due_at, r.attempts, r.charged_day, r.outcome,
    r.reason
from wanted
join lateral (
    select call_key from call_leg
    where call_leg.user_key = wanted.user_key and call_leg.state = 1
    order by call_key limit 1000
) as l on true
join call c on c.call_key = l.call_key
left join call_ring r on r.user_key = wanted.user_key and r.call_key = l.call_key
order by wanted.user_key, c.call_key, r.device_key
