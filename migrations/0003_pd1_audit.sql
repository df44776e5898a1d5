-- What the running audit of PD-1 needs.

-- The user's head when the device was first seen, or came back after it had signed out: entries up to here
-- were never its duty. The devices of today begin at the heads of today.
alter table device add column known_since_seq bigint not null default 0 check (known_since_seq >= 0);
update device set known_since_seq = coalesce(
    (select max(e.mailbox_seq) from mailbox_entry e where e.user_key = device.user_key), 0);

-- Entries by time, for the audit alone. They are inserted in the order of their times, so a summary per range
-- of pages finds them, which costs an insert nothing; several intervals per range, because
-- pages that were emptied are filled anew.
create index mailbox_entry_time on mailbox_entry
    using brin (materialised_at timestamptz_minmax_multi_ops)
    with (pages_per_range = 32, autosummarize = on);
