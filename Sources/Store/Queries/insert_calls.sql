-- Another shard with callees of the same call may be first: it wrote the same row. Rows come sorted by
-- (tenant, id), so that two shards wait in one order. Of a tenant that is gone none is written.
insert into call (
    tenant_key, call_key, call_id, caller_user, caller_name, is_video, conversation_id, data, started_at,
    expires_at)
select call.*
from unnest(
    $1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::text[], $8::bytea[],
    $9::timestamptz[], $10::timestamptz[])
    as call (
        tenant_key, call_key, call_id, caller_user, caller_name, is_video, conversation_id, data, started_at,
        expires_at)
join tenant t on t.tenant_key = call.tenant_key
on conflict do nothing
