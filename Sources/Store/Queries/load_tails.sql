-- What follows the checkpoints, in order, without any message's text. Served by the primary keys.
with wanted as (
    select u.user_key
    from unnest($1::bigint[], $2::text[]) as named (tenant_key, user_id)
    join app_user u on u.tenant_key = named.tenant_key and u.user_id = named.user_id
    union
    select unnest($3::bigint[])
)
select e.user_key, e.mailbox_seq, e.kind, e.conversation_id, e.other_seq, e.mention, e.counts_unread,
    e.is_muted, e.muted_until
from wanted
left join user_checkpoint c on c.user_key = wanted.user_key
join mailbox_entry e on e.user_key = wanted.user_key and e.mailbox_seq > coalesce(c.through_seq, 0)
order by e.user_key, e.mailbox_seq
