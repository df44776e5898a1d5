-- What the pushes of users have left. Served by app_user's unique key and the primary keys.
with wanted as (
    select u.user_key
    from unnest($1::bigint[], $2::text[]) as named (tenant_key, user_id)
    join app_user u on u.tenant_key = named.tenant_key and u.user_id = named.user_id
    union
    select unnest($3::bigint[])
)
select r.user_key, r.is_owed, r.record
from wanted join user_push_record r on r.user_key = wanted.user_key
