-- What a shard has committed of its tasks and not yet written to push_task, a row for each transaction, in
-- the order of `position`: applied, and deleted, by a later transaction of the shard, or by the next that
-- opens it. `is_set_aside`: it could not be applied, which is a defect; it is kept for whoever looks into it.
-- Not compressed: it is gone within a second.
create table shard_journal (
    shard        smallint not null,
    position     bigint not null,
    changes      bytea not null,
    is_set_aside boolean not null default false,
    primary key (shard, position)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
alter table shard_journal alter column changes set storage external;

-- A server that does not know the journal must not open a shard that has one: it would miss what is in it.
create function hold_shard_with_journal() returns trigger
language plpgsql as $$
begin
    if current_setting('rouse.reads_journal', true) is distinct from 'on'
        and exists (select from shard_journal where shard = new.shard and not is_set_aside)
    then
        raise exception 'shard % has a journal, which this server cannot read', new.shard
            using errcode = 'RF002';
    end if;
    return new;
end
$$;
create trigger shard_journal_is_read before update of life on shard
    for each row when (new.life <> old.life) execute function hold_shard_with_journal();
