-- What everyone but the sender may know of device tokens, as a log: the newest digest of each device under a
-- revision that grows per shard. The shard that decides follows it, whoever writes: a registration, the
-- verdict of a provider, an import, or a token service beside this one.

-- is_gone: the device has left; its row stays until everyone has followed. Never a token, sealed or hashed.
create table device_token_digest (
    device_key    bigint primary key,
    user_key      bigint not null,
    shard         smallint not null,
    revision      bigint not null check (revision >= 1),
    changed_at    timestamptz not null,
    is_gone       boolean not null default false,
    token_keys    bigint[] not null,
    transports    smallint[] not null,
    environments  smallint[] not null,
    registered_at timestamptz[] not null,
    is_wakeable   boolean generated always as (transports && '{1,3,4}'::smallint[]) stored,
    constraint device_token_digest_revision unique (shard, revision),
    constraint device_token_digest_parts check (
        cardinality(transports) = cardinality(token_keys)
        and cardinality(environments) = cardinality(token_keys)
        and cardinality(registered_at) = cardinality(token_keys)),
    constraint device_token_digest_gone check (not is_gone or cardinality(token_keys) = 0)
) with (fillfactor = 80);
create index device_token_digest_user on device_token_digest (user_key);
create index device_token_digest_gone_since on device_token_digest (changed_at) where is_gone;

-- The newest revision of each shard. Who appends holds its row until the end of the transaction, so revisions
-- become visible in their order and none is passed over.
create table device_token_digest_head (
    shard    smallint primary key references shard,
    revision bigint not null check (revision >= 1)
);

-- Appends the digests of devices as their token rows are in this transaction, and answers with the revisions
-- given, per shard. To be called after the last change of tokens. Who adds a device beside the server sets
-- its known_since_seq to the user's head.
create function append_token_digests(devices bigint[], changed timestamptz)
returns table (of_shard smallint, first_revision bigint, last_revision bigint)
language plpgsql as $$
declare
    part record;
begin
    for part in
        select coalesce(u.shard, g.shard) as shard, array_agg(w.device_key order by w.device_key) as keys
        from (select distinct unnest(devices) as device_key) as w
        left join device d on d.device_key = w.device_key
        left join app_user u on u.user_key = d.user_key
        left join device_token_digest g on g.device_key = w.device_key
        where coalesce(u.shard, g.shard) is not null
        group by coalesce(u.shard, g.shard)
        order by coalesce(u.shard, g.shard)
    loop
        insert into device_token_digest_head as head (shard, revision)
        values (part.shard, cardinality(part.keys))
        on conflict (shard) do update set revision = head.revision + excluded.revision
        returning head.revision into last_revision;
        of_shard := part.shard;
        first_revision := last_revision - cardinality(part.keys) + 1;
        insert into device_token_digest (
            device_key, user_key, shard, revision, changed_at, is_gone, token_keys, transports, environments,
            registered_at)
        select w.device_key, coalesce(d.user_key, g.user_key), part.shard, first_revision + w.place - 1,
            changed, d.device_key is null, coalesce(t.token_keys, '{}'), coalesce(t.transports, '{}'),
            coalesce(t.environments, '{}'), coalesce(t.registered_at, '{}')
        from unnest(part.keys) with ordinality as w (device_key, place)
        left join device d on d.device_key = w.device_key
        left join device_token_digest g on g.device_key = w.device_key
        left join lateral (
            select array_agg(k.token_key order by k.token_key) as token_keys,
                array_agg(k.transport order by k.token_key) as transports,
                array_agg(k.environment order by k.token_key) as environments,
                array_agg(k.registered_at order by k.token_key) as registered_at
            from device_token k
            where k.device_key = w.device_key
        ) as t on true
        on conflict (device_key) do update
        set revision = excluded.revision, changed_at = excluded.changed_at, is_gone = excluded.is_gone,
            token_keys = excluded.token_keys, transports = excluded.transports,
            environments = excluded.environments, registered_at = excluded.registered_at;
        return next;
    end loop;
end
$$;

-- The digests of today's tokens.
select append_token_digests(array_agg(distinct device_key), now()) from device_token having count(*) > 0;
