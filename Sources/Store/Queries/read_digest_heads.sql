-- Per shard, the newest revision, and since when its oldest change above the one followed waits.
-- Served by the primary key and device_token_digest_revision.
select f.shard, coalesce(h.revision, 0), (
    select g.changed_at from device_token_digest g
    where g.shard = f.shard and g.revision > f.revision
    order by g.revision
    limit 1)
from unnest($1::smallint[], $2::bigint[]) as f (shard, revision)
left join device_token_digest_head h on h.shard = f.shard
