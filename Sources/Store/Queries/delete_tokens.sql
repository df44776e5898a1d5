-- Runs before insert_tokens, so that a token may come back under another key. Served by the primary key.
delete from device_token
using unnest($1::bigint[]) as gone (token_key)
where device_token.token_key = gone.token_key
