-- The messages that covers of the users may have to show anew, without their payloads. Served by the primary
-- keys.
with wanted as (
    select u.user_key
    from unnest($1::bigint[], $2::text[]) as named (tenant_key, user_id)
    join app_user u on u.tenant_key = named.tenant_key and u.user_id = named.user_id
    union
    select unnest($3::bigint[])
)
select e.user_key, e.mailbox_seq, m.message_key, m.message_id, m.conversation_id, m.conversation_kind,
    m.conversation_name, m.member_count, m.is_e2ee, m.sender_user, m.sender_name, m.sender_device,
    m.counts_unread, m.wants_push, m.sent_at, m.expires_at, m.notification, ''::bytea, m.wants_wake
from wanted
join user_push_record r on r.user_key = wanted.user_key
cross join lateral unnest(r.shown_seqs) as shown (mailbox_seq)
join mailbox_entry e on e.user_key = r.user_key and e.mailbox_seq = shown.mailbox_seq
join message m on m.message_key = e.message_key
