-- How many shards this database was made with.
select count(*) from shard
