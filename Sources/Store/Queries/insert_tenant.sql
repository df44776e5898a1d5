-- One row if the name was free, none if it is taken.
insert into tenant (tenant_key, name, policy, is_paused, mode, created_at)
values ($1::bigint, $2::text, $3::bytea, $4::boolean, $5::text, $6::timestamptz)
on conflict do nothing
