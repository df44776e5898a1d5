-- What this transaction leaves to a later one to write to the tables.
insert into shard_journal (shard, position, changes) values ($1::smallint, $2::bigint, $3::bytea)
