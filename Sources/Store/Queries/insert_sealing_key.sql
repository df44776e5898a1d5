-- Binds the database to a master key.
insert into sealing_key (key_id) values ($1::text) on conflict do nothing
