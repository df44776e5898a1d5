-- After the devices of users are gone: their digests say so, until all have followed. Served by
-- device_token_digest_user.
select last_revision
from append_token_digests(
    array(select device_key from device_token_digest where user_key = any ($1::bigint[])), now())
