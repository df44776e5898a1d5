-- Calls that have been over for long, with their legs and rings. Served by call_expiry.
delete from call where expires_at < $1::timestamptz
