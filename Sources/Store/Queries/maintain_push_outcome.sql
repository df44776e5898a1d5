-- Prepares the partitions of the coming days and drops those that are over. Locks push_outcome briefly.
select maintain_push_outcome($1::timestamptz, $2::timestamptz)
