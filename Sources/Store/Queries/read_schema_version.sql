-- The number of the newest migration applied.
select coalesce(max(number), 0) from schema_migration
