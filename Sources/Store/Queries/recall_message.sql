-- Remembers that a message was taken back; answers whether it was known. Served by the unique keys.
with remembered as (
    insert into message_recall (tenant_key, message_id, recalled_at)
    values ($1::bigint, $2::text, $3::timestamptz)
    on conflict (tenant_key, message_id) do nothing
)
select exists (select from message where tenant_key = $1::bigint and message_id = $2::text)
