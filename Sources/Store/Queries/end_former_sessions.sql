-- Ends older sessions of the shard, found by their name: one that stands still inside a transaction
-- would hold the row's lock for as long as it stands. Does nothing for an owner of the past.
select count(pg_terminate_backend(a.pid))
from pg_stat_activity a
where a.application_name = $3::text and a.pid <> pg_backend_pid()
    and a.datname = current_database() and a.usename = current_user
    and exists (select from shard where shard = $1::smallint and epoch <= $2::bigint)
