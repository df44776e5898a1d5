-- Last statement of a planned drain: the next opening then
-- keeps the deadlines of holds. Upgrades our own lock.
update shard set is_drained = true where shard = $1::smallint
