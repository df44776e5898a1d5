-- Some messages of a tenant. Served by message_id_once and the primary key.
delete from message where message_key in (
    select message_key from message where tenant_key = $1::bigint limit $2::integer)
