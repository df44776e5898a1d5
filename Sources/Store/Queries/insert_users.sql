-- New users of the shard $1, with empty mailboxes.
insert into app_user (shard, user_key, tenant_key, user_id, mailbox_id)
select $1::smallint, * from unnest($2::bigint[], $3::bigint[], $4::text[], $5::bytea[])
