-- A row with the new epoch if the lease was free, ours, or taken over ($2); none if another holds it.
insert into lease as held (owner, epoch, renewals, renewed_at) values ($1::text, 1, 0, now())
on conflict (is_single) do update
set owner = excluded.owner, epoch = held.epoch + 1, renewals = 0, renewed_at = excluded.renewed_at
where held.owner in ('', excluded.owner) or $2::boolean
returning epoch
