-- Digests of devices that were gone before $1 leave. Served by device_token_digest_gone_since.
delete from device_token_digest where is_gone and changed_at < $1::timestamptz
