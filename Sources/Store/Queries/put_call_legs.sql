-- Legs of the shard $1, begun or ended; one that has ended stays so. Of users that are gone none is written.
insert into call_leg (shard, user_key, call_key, state, answered_by, cancel_reason, changed_at)
select $1::smallint, leg.*
from unnest($2::bigint[], $3::bigint[], $4::smallint[], $5::text[], $6::text[], $7::timestamptz[])
    as leg (user_key, call_key, state, answered_by, cancel_reason, changed_at)
join app_user u on u.user_key = leg.user_key
on conflict (user_key, call_key) do update
set state = excluded.state, answered_by = excluded.answered_by, cancel_reason = excluded.cancel_reason,
    changed_at = excluded.changed_at
where call_leg.state = 1
