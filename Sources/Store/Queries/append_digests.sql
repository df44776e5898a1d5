-- The digests of devices whose tokens this transaction has changed; the revisions they were given. Runs after
-- the last change of tokens.
select first_revision, last_revision from append_token_digests($1::bigint[], $2::timestamptz)
