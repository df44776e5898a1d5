-- What is recorded of users. Served by push_outcome_entry.
delete from push_outcome where user_key = any ($1::bigint[])
