-- The ids of the master keys that this database was used with.
select key_id from sealing_key order by first_used
