-- The newest revision of a shard's digests. Served by the primary key.
select coalesce((select revision from device_token_digest_head where shard = $1::smallint), 0)
