-- Marks a call as cancelled, by the first word only, unless the callee $4 alone is meant; answers with the
-- users who have a leg of it, or with one row without a user. Served by call_id_once and call_leg_call.
with found as (
    select call_key from call where tenant_key = $1::bigint and call_id = $2::text
), marked as (
    update call set cancel_reason = coalesce(call.cancel_reason, $3::text)
    from found
    where call.call_key = found.call_key and $4::text is null
)
select u.user_id
from found
left join call_leg l on l.call_key = found.call_key
left join app_user u on u.user_key = l.user_key and ($4::text is null or u.user_id = $4::text)
