-- The tables of Rouse.
--
-- Keys are bigints that the owner of the lease allots; the ids of the wire are kept
-- once, beside them. Text that is a key is compared byte for byte (collate "C").
-- JSON is kept verbatim, as the bytes it came as. Times are passed in.
--
-- The tables that each push writes (message, mailbox_entry, push_task, push_outcome) have no foreign keys: a
-- check per row would cost more than the row, and one owner writes them, in one transaction, from one state.

create table tenant (
    tenant_key bigint primary key,
    name       text collate "C" not null unique check (name ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    policy     bytea not null,
    is_paused  boolean not null,
    mode       text not null check (mode in ('live', 'shadow')),
    created_at timestamptz not null
);

create table api_key (
    tenant_key bigint not null references tenant on delete cascade,
    prefix     text collate "C" not null,
    key_hash   bytea not null unique check (length(key_hash) = 32),
    name       text not null,
    created_at timestamptz not null,
    primary key (tenant_key, prefix)
);

create table client_key (
    tenant_key bigint not null references tenant on delete cascade,
    kid        text collate "C" not null,
    algorithm  text not null check (algorithm in ('HS256', 'ES256')),
    sealed     bytea not null,
    primary key (tenant_key, kid)
);

create table provider_credential (
    tenant_key bigint not null references tenant on delete cascade,
    provider   text not null check (provider in ('apns', 'fcm', 'webpush')),
    summary    bytea not null,
    sealed     bytea not null,
    created_at timestamptz not null,
    primary key (tenant_key, provider)
);

-- The token minted last for a provider key: its issue time
-- must survive a restart (APNs' floor between two mints).
create table provider_token (
    tenant_key bigint not null references tenant on delete cascade,
    key_id     text collate "C" not null,
    issued_at  timestamptz not null,
    sealed     bytea not null,
    primary key (tenant_key, key_id)
);

-- The master keys that anything here was sealed with, by their ids; the keys themselves are never here.
create table sealing_key (
    key_id   text collate "C" primary key,
    first_used timestamptz not null default now()
);

-- One row: who owns this database. An owner is free to be
-- replaced when it is ''. Keys hold 20 bits of the epoch.
create table lease (
    is_single  boolean primary key default true check (is_single),
    owner      text collate "C" not null,
    epoch      bigint not null check (epoch between 1 and 1048575),
    renewals   bigint not null,
    renewed_at timestamptz not null
);

-- One row per shard, locked by each transaction of its owner. `life` grows with each opening, so
-- that a transaction of an earlier life, also of the same owner, can commit nothing after it.
create table shard (
    shard      smallint primary key check (shard between 0 and 126),
    epoch      bigint not null default 0,
    life       bigint not null default 0,
    is_drained boolean not null default true
);

create table app_user (
    user_key   bigint primary key,
    tenant_key bigint not null references tenant on delete cascade,
    user_id    text collate "C" not null,
    shard      smallint not null references shard,
    mailbox_id bytea not null check (length(mailbox_id) = 16),
    first_seq  bigint not null default 1 check (first_seq >= 1),
    unique (tenant_key, user_id)
);

-- The projection of a user's mailbox as last stored; it may lag, what follows it is folded at load.
create table user_checkpoint (
    user_key    bigint primary key references app_user on delete cascade,
    through_seq bigint not null check (through_seq >= 0),
    projection  bytea not null
) with (fillfactor = 70);

create table device (
    device_key    bigint primary key,
    user_key      bigint not null references app_user on delete cascade,
    device_id     text collate "C" not null,
    applied_seq   bigint not null check (applied_seq >= 0),
    locale        text,
    time_zone     text,
    app_version   text,
    registered_at timestamptz,
    last_seen     timestamptz not null,
    is_signed_out boolean not null,
    unique (user_key, device_id)
) with (fillfactor = 80);

-- transport: 1 apns, 2 apns_voip, 3 fcm, 4 webpush. environment: 0 production, 1 sandbox.
create table device_token (
    token_key     bigint primary key,
    tenant_key    bigint not null,
    user_key      bigint not null,
    device_key    bigint not null references device on delete cascade,
    transport     smallint not null check (transport between 1 and 4),
    environment   smallint not null check (environment in (0, 1)),
    topic         text not null,
    sealed        bytea not null,
    key_id        text collate "C" not null,
    lookup        bytea not null check (length(lookup) = 32),
    registered_at timestamptz not null,
    constraint device_token_lookup unique (tenant_key, lookup, user_key)
);
create index device_token_user on device_token (user_key);
create index device_token_device on device_token (device_key);

create table message (
    message_key       bigint primary key,
    tenant_key        bigint not null,
    message_id        text collate "C" not null,
    conversation_id   text collate "C" not null,
    conversation_kind smallint not null check (conversation_kind in (0, 1)),
    conversation_name text,
    member_count      integer not null,
    is_e2ee           boolean not null,
    sender_user       text collate "C" not null,
    sender_name       text,
    sender_device     text collate "C",
    counts_unread     boolean not null,
    wants_push        boolean not null,
    sent_at           timestamptz,
    expires_at        timestamptz,
    notification      bytea not null,
    payload           bytea not null,
    constraint message_id_once unique (tenant_key, message_id)
);

-- The log. kind: 1 message, 2 read, 3 recall, 4 settings; each has the columns of its kind and no others.
-- other_seq: the seq read through, or the seq of the recalled message.
create table mailbox_entry (
    user_key        bigint not null,
    mailbox_seq     bigint not null check (mailbox_seq >= 1),
    message_key     bigint,
    other_seq       bigint,
    materialised_at timestamptz not null,
    muted_until     timestamptz,
    kind            smallint not null,
    mention         smallint not null default 0 check (mention in (0, 1, 2)),
    counts_unread   boolean not null default false,
    is_muted        boolean,
    conversation_id text collate "C" not null,
    message_id      text collate "C",
    device_id       text collate "C",
    primary key (user_key, mailbox_seq),
    constraint mailbox_entry_kind check (
        case kind
            when 1 then message_key is not null and other_seq is null and is_muted is null
            when 2 then message_key is null and other_seq is not null and is_muted is null
            when 3 then message_id is not null and other_seq is not null and is_muted is null
            when 4 then message_key is null and other_seq is null and is_muted is not null
            else false
        end)
);
create unique index mailbox_entry_message_once on mailbox_entry (user_key, message_key) where kind = 1;

-- Open tasks: an outbox, not a queue to poll. state: 1 held, 2
-- due, 3 retrying; a task that is over has no row.
create table push_task (
    user_key        bigint not null,
    device_key      bigint not null,
    mailbox_seq     bigint not null,
    task_key        bigint not null,
    message_key     bigint not null,
    materialised_at timestamptz not null,
    due_at          timestamptz not null,
    shard           smallint not null,
    state           smallint not null,
    mention         smallint not null check (mention in (0, 1, 2)),
    attempts        smallint not null default 0 check (attempts >= 0),
    primary key (user_key, device_key, mailbox_seq),
    constraint push_task_state check (state in (1, 2, 3))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 5000);

-- How each (message, user, device) ended: a partition per day, dropped when it is old.
-- outcome: 1 notified, 2 applied, 3 suppressed, 4 dropped, 5 cancelled.
create table push_outcome (
    user_key    bigint not null,
    device_key  bigint not null,
    mailbox_seq bigint not null,
    ended_at    timestamptz not null,
    outcome     smallint not null check (outcome between 1 and 5),
    reason      smallint not null,
    trace       bytea not null
) partition by range (ended_at);
create index push_outcome_entry on push_outcome (user_key, mailbox_seq);
-- Catches what a jump of the clock puts outside the days that were prepared.
create table push_outcome_other partition of push_outcome default;

-- Locks the shard's row until the transaction ends, if it still is this
-- epoch's and this life's; else the whole transaction fails with RF001.
create function fence_shard(wanted_shard smallint, wanted_epoch bigint, wanted_life bigint) returns void
language plpgsql as $$
begin
    perform from shard
        where shard = wanted_shard and epoch = wanted_epoch and life = wanted_life
        for share;
    if not found then
        raise exception 'the shard has another owner' using errcode = 'RF001';
    end if;
end
$$;

-- Makes the partitions of today and the next days, and drops those that ended before `oldest`.
create function maintain_push_outcome(today timestamptz, oldest timestamptz) returns void
language plpgsql as $$
declare
    first_day date := (today at time zone 'UTC')::date;
    day date;
    old_partition text;
begin
    for day in select first_day + n from generate_series(-1, 3) as n loop
        if to_regclass('push_outcome_' || to_char(day, 'YYYYMMDD')) is null then
            begin
                execute format(
                    'create table %I partition of push_outcome for values from (%L) to (%L)',
                    'push_outcome_' || to_char(day, 'YYYYMMDD'),
                    day::text || ' 00:00:00+00', (day + 1)::text || ' 00:00:00+00');
            exception when check_violation then
                null;  -- rows of that day lie in push_outcome_other already: they stay there
            end;
        end if;
    end loop;
    for old_partition in
        select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'push_outcome'::regclass and c.relname ~ '^push_outcome_[0-9]{8}$'
            and to_date(right(c.relname, 8), 'YYYYMMDD') + 1 <= (oldest at time zone 'UTC')::date
    loop
        execute format('drop table %I', old_partition);
    end loop;
    delete from push_outcome_other where ended_at < oldest;
end
$$;
