-- Sets what devices have applied. Served by the primary key; touches no index.
update device set applied_seq = moved.applied_seq, last_seen = moved.last_seen
from unnest($1::bigint[], $2::bigint[], $3::timestamptz[]) as moved (device_key, applied_seq, last_seen)
where device.device_key = moved.device_key
