-- Which of these messages were taken back. Served by the primary key.
select named.tenant_key, named.message_id
from unnest($1::bigint[], $2::text[]) as named (tenant_key, message_id)
join message_recall r on r.tenant_key = named.tenant_key and r.message_id = named.message_id
