-- Message entries of a span of time that PD-1 makes somebody's duty, and that have neither a task nor an
-- outcome that policy gives: in one snapshot, so no moment between two transactions is mistaken for a loss.
-- The first two columns stand in every row, also if nothing was found. Served by mailbox_entry_order, then by
-- keys: scalar questions, so that each index is read by all its columns.
with entry as materialized (
    select e.user_key, e.mailbox_seq, e.message_key, e.materialised_at, e.kind
    from mailbox_entry e
    where e.materialised_at >= $1::timestamptz and e.materialised_at < $2::timestamptz
    limit $3::integer
), violation as materialized (
    select u.tenant_key, u.user_id, d.device_id, e.mailbox_seq
    from entry e
    join device d on d.user_key = e.user_key
    join message m on m.message_key = e.message_key
    join app_user u on u.user_key = e.user_key
    where e.kind = 1 and not d.is_signed_out
        and e.mailbox_seq > d.known_since_seq and e.mailbox_seq > d.applied_seq
        and m.wants_push and m.sender_user <> u.user_id
        and (
            select true from push_task t
            where t.user_key = e.user_key and t.device_key = d.device_key
                and t.mailbox_seq = e.mailbox_seq
        ) is null
        -- Notified (1); or suppressed, dropped or cancelled (3, 4, 5) with a reason. That it was applied is
        -- no reason: its cursor says that it was not. Nor is that the device could not be woken, if its
        -- digest has said for longer than it may take to follow that it can.
        and (
            select true from push_outcome o
            where o.user_key = e.user_key and o.mailbox_seq = e.mailbox_seq
                and o.device_key = d.device_key and o.ended_at >= $4::timestamptz
                and (o.outcome = 1 or o.outcome in (3, 4, 5) and o.reason <> 0)
                and not (
                    o.outcome = 3 and o.reason = 1 and coalesce((
                        select g.is_wakeable and g.changed_at < e.materialised_at - interval '1 minute'
                        from device_token_digest g
                        where g.device_key = d.device_key), false))
            limit 1
        ) is null
        -- The newest tasks of a shard may still be in its journal.
        and not (
            e.materialised_at >= $6::timestamptz
            and exists (select from shard_journal j where j.shard = u.shard and not j.is_set_aside))
)
select (select count(*) from entry), (select count(*) from violation), v.tenant_key, v.user_id, v.device_id,
    v.mailbox_seq
from (select) as always
left join (select * from violation limit $5::integer) as v on true
