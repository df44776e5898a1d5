-- Rings of legs, in their newest version. Of legs that are gone none is written.
insert into call_ring (
    user_key, call_key, device_key, state, due_at, attempts, charged_day, outcome, reason, trace)
select ring.*
from unnest(
    $1::bigint[], $2::bigint[], $3::bigint[], $4::smallint[], $5::timestamptz[], $6::smallint[],
    $7::integer[], $8::smallint[], $9::smallint[], $10::bytea[])
    as ring (
        user_key, call_key, device_key, state, due_at, attempts, charged_day, outcome, reason, trace)
join call_leg l on l.user_key = ring.user_key and l.call_key = ring.call_key
on conflict (user_key, call_key, device_key) do update
set state = excluded.state, due_at = excluded.due_at, attempts = excluded.attempts,
    charged_day = excluded.charged_day, outcome = excluded.outcome, reason = excluded.reason,
    trace = excluded.trace
