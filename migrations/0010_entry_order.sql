-- One summary of the entries' times and messages, in place of two. They come in the order of both, and an
-- index of the plain kind costs a batch a tenth less of the database: of several intervals per range each is
-- unpacked and packed again at every entry. Pages that are emptied and filled anew make a range wide, not
-- wrong; should much ever be deleted, `reindex index concurrently` makes it narrow.
drop index mailbox_entry_time;
drop index mailbox_entry_message;
create index mailbox_entry_order on mailbox_entry
    using brin (materialised_at, message_key)
    with (pages_per_range = 32, autosummarize = on);
