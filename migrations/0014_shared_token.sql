-- Tokens that several users have held at a time: few, while every load of a device asks whether its tokens
-- are held by others, too. A row says that the question is worth asking of device_token, and stays for good.
create table shared_token (
    tenant_key bigint not null references tenant on delete cascade,
    lookup     bytea not null check (length(lookup) = 32),
    primary key (tenant_key, lookup)
);

insert into shared_token (tenant_key, lookup)
select tenant_key, lookup from device_token group by tenant_key, lookup having count(*) > 1;

-- By a trigger: servers of before may still own a shard. In the order of the key, as tokens are, so that two
-- shards wait for each other in one order.
create function note_shared_tokens() returns trigger
language plpgsql as $$
begin
    insert into shared_token (tenant_key, lookup)
    select distinct a.tenant_key, a.lookup
    from added a
    where exists (
        select from device_token o
        where o.tenant_key = a.tenant_key and o.lookup = a.lookup and o.user_key <> a.user_key)
    order by a.tenant_key, a.lookup
    on conflict do nothing;
    return null;
end
$$;
create trigger device_token_is_shared after insert on device_token
    referencing new table as added for each statement execute function note_shared_tokens();
