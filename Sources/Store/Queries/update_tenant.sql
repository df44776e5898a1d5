-- Sets what an operator may change.
update tenant set policy = $2::bytea, is_paused = $3::boolean, mode = $4::text where tenant_key = $1::bigint
