-- When a user has to be looked at by time alone (a mute ends): for those who are not in memory then.
create table user_wake (
    user_key bigint primary key references app_user on delete cascade,
    shard    smallint not null,
    wakes_at timestamptz not null
);
create index user_wake_due on user_wake (shard, wakes_at);
