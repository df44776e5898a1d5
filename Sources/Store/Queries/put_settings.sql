-- What users have set, whole. Served by the primary key.
insert into user_settings (user_key, quiet_start, quiet_end, time_zone, locale)
select * from unnest($1::bigint[], $2::smallint[], $3::smallint[], $4::text[], $5::text[])
on conflict (user_key) do update set quiet_start = excluded.quiet_start, quiet_end = excluded.quiet_end,
    time_zone = excluded.time_zone, locale = excluded.locale
