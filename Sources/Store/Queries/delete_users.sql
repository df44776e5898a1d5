-- Users and, by cascade, their devices, tokens and checkpoints. Runs last of its transaction.
delete from app_user where user_key = any ($1::bigint[])
