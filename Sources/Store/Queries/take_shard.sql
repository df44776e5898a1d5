-- Takes the row for an epoch that is not older than its present one and begins a
-- new life. Waits for every transaction that holds the row; none of an earlier
-- life can commit after it. No row: the shard has a newer owner.
update shard as taken set epoch = $2::bigint, life = taken.life + 1, is_drained = false
from shard as former
where taken.shard = $1::smallint and former.shard = taken.shard and taken.epoch <= $2::bigint
returning taken.life, former.is_drained
