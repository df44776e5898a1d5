-- What the pushes of a user have left its devices with: the banners they show, the badges they were given.
-- One row, written whole with the outcomes that changed it; `record` is opaque here.
create table user_push_record (
    user_key   bigint primary key references app_user on delete cascade,
    shard      smallint not null,
    -- A device is owed a cover or a badge: at its opening a shard asks for such users.
    is_owed    boolean not null,
    record     bytea not null,
    -- Entries whose messages a cover may have to show anew.
    shown_seqs bigint[] not null
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 5000);
create index user_push_record_owed on user_push_record (shard) where is_owed;

-- Messages that their senders took back, also before they came: a later ingest of the id makes nothing.
create table message_recall (
    tenant_key  bigint not null references tenant on delete cascade,
    message_id  text collate "C" not null,
    recalled_at timestamptz not null,
    primary key (tenant_key, message_id)
);

-- Who has a message, for its recall. Entries come in the order of their messages' keys, or nearly.
create index mailbox_entry_message on mailbox_entry
    using brin (message_key int8_minmax_multi_ops)
    with (pages_per_range = 32, autosummarize = on);
-- Whether a user's mailbox has the recall already.
create unique index mailbox_entry_recall_once on mailbox_entry (user_key, message_id) where kind = 3;
