-- A tenant's messages. Served by message_id_once.
delete from message where tenant_key = $1::bigint
