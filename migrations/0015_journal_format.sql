-- A shard's journal has push records now, in pages whose first byte says 2. A server that knows pages of a
-- former format only must not open a shard with such a journal: it would set them aside. Pages that fit into
-- a block are not stored out of line.
alter table shard_journal set (toast_tuple_target = 8160);

create or replace function hold_shard_with_journal() returns trigger
language plpgsql as $$
declare
    -- The server of format 1 says only that it reads the journal.
    newest_read constant integer := coalesce(
        nullif(current_setting('rouse.journal_format', true), '')::integer,
        case when current_setting('rouse.reads_journal', true) = 'on' then 1 else 0 end);
begin
    if exists (
        select from shard_journal
        where shard = new.shard and not is_set_aside
            and (newest_read = 0 or length(changes) > 0 and get_byte(changes, 0) > newest_read))
    then
        raise exception 'shard % has a journal, which this server cannot read', new.shard
            using errcode = 'RF002';
    end if;
    return new;
end
$$;
