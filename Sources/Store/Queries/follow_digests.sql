-- The digests of a shard above a revision, oldest change first, with their devices and what the sender needs
-- of their tokens, in one snapshot. Served by device_token_digest_revision and the primary keys.
select g.revision, g.device_key, g.user_key, d.device_id, d.applied_seq, d.known_since_seq,
    d.locale, d.time_zone, d.app_version, d.registered_at, d.last_seen, d.is_signed_out, d.logged_out_at,
    x.token_key, x.transport, x.environment, x.registered_at, t.topic, t.sealed, t.key_id, t.lookup
from (
    select * from device_token_digest
    where shard = $1::smallint and revision > $2::bigint
    order by revision
    limit $3::integer
) as g
left join device d on d.device_key = g.device_key
left join lateral unnest(g.token_keys, g.transports, g.environments, g.registered_at)
    as x (token_key, transport, environment, registered_at) on true
left join device_token t on t.token_key = x.token_key
order by g.revision, x.token_key
