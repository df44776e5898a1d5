-- What the shard has committed and not yet written to the tables, oldest first. Served by the primary key.
select position, changes from shard_journal where shard = $1::smallint and not is_set_aside order by position
