-- What users' pushes have left their devices with. Served by the primary key.
insert into user_push_record (user_key, shard, is_owed, record, shown_seqs)
select user_key, $1::smallint, is_owed, record, shown_seqs::bigint[]
from unnest($2::bigint[], $3::boolean[], $4::bytea[], $5::text[])
    as row (user_key, is_owed, record, shown_seqs)
on conflict (user_key) do update
    set is_owed = excluded.is_owed, record = excluded.record, shown_seqs = excluded.shown_seqs
