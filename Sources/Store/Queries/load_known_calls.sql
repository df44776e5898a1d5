-- Which of these calls are there already. Served by call_id_once, in any plan (see delete_tasks).
select c.tenant_key, c.call_key, c.call_id, c.caller_user, c.caller_name, c.is_video, c.conversation_id,
    c.data, c.started_at, c.expires_at, c.cancel_reason
from unnest($1::bigint[], $2::text[]) as named (tenant_key, call_id)
join call c on c.tenant_key = any (array[named.tenant_key]) and c.call_id = named.call_id
