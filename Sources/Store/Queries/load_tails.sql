-- What follows the checkpoints $2 of the users $1, in order, without any message's text. Served by the
-- primary key. Each user asks by itself (`offset 0`), so that no plan made while the table was empty reads it
-- whole.
select e.user_key, e.mailbox_seq, e.kind, e.conversation_id, e.other_seq, e.mention, e.counts_unread,
    e.is_muted, e.muted_until
from (select unnest($1::bigint[]) as user_key, unnest($2::bigint[]) as through_seq) as wanted
cross join lateral (
    select * from mailbox_entry
    where user_key = wanted.user_key and mailbox_seq > wanted.through_seq
    offset 0
) as e
order by e.user_key, e.mailbox_seq
