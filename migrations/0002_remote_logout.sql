-- When a device was logged out remotely, last: its credentials issued up to then are refused.
alter table device add column logged_out_at timestamptz;
