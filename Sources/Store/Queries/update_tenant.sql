-- Sets what an operator may change. Where that counts badges anew, users are concerned who are not in memory:
-- those who have been pushed to are woken, for their devices to be given the new number. Served by the keys
-- of tenant, app_user and user_push_record.
with changed as (
    select tenant_key from tenant
    where tenant_key = $1::bigint
        and (convert_from(policy, 'UTF8')::jsonb -> 'badge_counts_muted')
            is distinct from (convert_from($2::bytea, 'UTF8')::jsonb -> 'badge_counts_muted')
), woken as (
    insert into user_wake (user_key, shard, wakes_at)
    select r.user_key, r.shard, to_timestamp(0)
    from changed
    join app_user u on u.tenant_key = changed.tenant_key
    join user_push_record r on r.user_key = u.user_key
    order by r.user_key
    on conflict (user_key) do update set wakes_at = excluded.wakes_at
)
update tenant set policy = $2::bytea, is_paused = $3::boolean, mode = $4::text where tenant_key = $1::bigint
