-- Makes the shard rows of a new database; an old one keeps the number it was made with.
insert into shard (shard) select n from generate_series(0, $1::integer - 1) as n
where not exists (select from shard)
