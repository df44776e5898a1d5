-- A page that could not be applied: out of the way of those that can. Served by the primary key.
update shard_journal set is_set_aside = true where shard = $1::smallint and position = $2::bigint
