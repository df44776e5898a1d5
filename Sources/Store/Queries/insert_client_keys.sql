-- Second half of a replacement.
insert into client_key (tenant_key, kid, algorithm, sealed)
select $1::bigint, * from unnest($2::text[], $3::text[], $4::bytea[])
