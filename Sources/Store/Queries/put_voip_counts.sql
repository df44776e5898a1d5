-- How many VoIP pushes devices have had on a UTC day. Served by the primary key.
update device set voip_day = count.voip_day, voip_used = count.voip_used
from unnest($1::bigint[], $2::integer[], $3::integer[]) as count (device_key, voip_day, voip_used)
where device.device_key = count.device_key
