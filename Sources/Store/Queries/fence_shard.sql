-- First statement of each transaction of a shard. Served by shard's primary key.
select fence_shard($1::smallint, $2::bigint, $3::bigint)
