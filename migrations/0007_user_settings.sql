-- What a user has set for all devices; quiet hours in minutes of the local day. A null is a setting not made.
create table user_settings (
    user_key    bigint primary key references app_user on delete cascade,
    quiet_start smallint check (quiet_start between 0 and 1439),
    quiet_end   smallint check (quiet_end between 0 and 1439),
    time_zone   text,
    locale      text,
    check ((quiet_start is null) = (quiet_end is null))
);
