-- Which of these users have a leg of which call, how it stands, and how many of its devices were rung or will
-- be (outcomes 1 and 2: notified, applied). Served by the unique and primary keys.
select c.tenant_key, c.call_id, u.user_id, l.state, l.answered_by, l.cancel_reason,
    (select count(*)::integer from call_ring r
        where r.user_key = l.user_key and r.call_key = l.call_key
            and coalesce(r.outcome, 1) in (1, 2)) as devices
from unnest($1::bigint[], $2::text[], $3::text[]) as named (tenant_key, call_id, user_id)
join call c on c.tenant_key = named.tenant_key and c.call_id = named.call_id
join app_user u on u.tenant_key = named.tenant_key and u.user_id = named.user_id
join call_leg l on l.user_key = u.user_key and l.call_key = c.call_key
