-- Fails the transaction, as one that may be tried again, unless each of these messages is there under its
-- key. Asked where an insert met rows that it could not see: each statement in a function sees what has been
-- committed by now. Each key asks by itself, in any plan.
create function hold_message_keys(keys bigint[]) returns void
language plpgsql as $$
begin
    if cardinality(keys) > (
        select count(*) from unnest(keys) as wanted
        cross join lateral (select from message where message_key = wanted offset 0) as found
    ) then
        raise exception 'a message was written under another key meanwhile' using errcode = '40001';
    end if;
end
$$;
