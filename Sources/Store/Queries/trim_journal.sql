-- What this transaction has written to the tables. Served by the primary key; with a first position, so that
-- those which are gone are not gone through.
delete from shard_journal
where shard = $1::smallint and position between $2::bigint and $3::bigint and not is_set_aside
