-- What a standby watches: as long as either number changes, the holder lives.
select epoch, renewals from lease
