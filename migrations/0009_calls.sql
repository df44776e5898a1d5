-- Calls: what rings, and for a while how it ended.

-- A call as its backend told it, once for all its callees, in whatever shards they live.
create table call (
    call_key        bigint primary key,
    tenant_key      bigint not null references tenant on delete cascade,
    call_id         text collate "C" not null,
    caller_user     text collate "C" not null,
    caller_name     text,
    is_video        boolean not null,
    conversation_id text collate "C",
    data            bytea not null,
    started_at      timestamptz not null,
    expires_at      timestamptz not null,
    -- The backend cancelled the call as a whole: who is reached by a repeat does not ring any more.
    cancel_reason   text,
    constraint call_id_once unique (tenant_key, call_id)
);
create index call_expiry on call (expires_at);

-- A call as one callee has it. state: 1 ringing, 2 answered, 3 cancelled, 4 expired.
create table call_leg (
    user_key      bigint not null references app_user on delete cascade,
    call_key      bigint not null references call on delete cascade,
    shard         smallint not null,
    state         smallint not null check (state between 1 and 4),
    answered_by   text collate "C",
    cancel_reason text,
    changed_at    timestamptz not null,
    primary key (user_key, call_key),
    constraint call_leg_answer check ((state = 2) = (answered_by is not null)),
    constraint call_leg_reason check ((state = 3) = (cancel_reason is not null))
);
create index call_leg_call on call_leg (call_key);
create index call_leg_ringing on call_leg (user_key, call_key) where state = 1;

-- The duty to ring one device. state: 1 offered (told by a frame, pushed at due_at), 2 due, 3 retrying,
-- 4 over.
-- charged_day: the UTC day since 1970 whose quota of VoIP pushes it has taken one of.
create table call_ring (
    user_key    bigint not null,
    call_key    bigint not null,
    device_key  bigint not null,
    state       smallint not null check (state between 1 and 4),
    due_at      timestamptz not null,
    attempts    smallint not null check (attempts >= 0),
    charged_day integer,
    outcome     smallint check (outcome between 1 and 5),
    reason      smallint,
    trace       bytea not null,
    primary key (user_key, call_key, device_key),
    foreign key (user_key, call_key) references call_leg on delete cascade,
    constraint call_ring_end check (
        (state = 4) = (outcome is not null) and (state = 4) = (reason is not null))
);

-- The VoIP pushes that a device has had on one UTC day, the last that had any.
alter table device add column voip_day integer;
alter table device add column voip_used integer check (voip_used >= 0);
alter table device add constraint device_voip_count check ((voip_day is null) = (voip_used is null));
