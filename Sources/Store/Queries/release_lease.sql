-- Leaves the lease to whoever asks next; the epoch stays, so that it only ever grows.
update lease set owner = '' where owner = $1::text and epoch = $2::bigint
