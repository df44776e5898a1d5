-- One row while the lease is still this owner's.
update lease set renewals = renewals + 1, renewed_at = now() where owner = $1::text and epoch = $2::bigint
