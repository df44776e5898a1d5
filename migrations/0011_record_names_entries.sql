-- The record itself names the entries that a cover may have to show anew; the column is written no more. It
-- stays for servers of before, which may still own a shard while this runs.
alter table user_push_record alter column shown_seqs drop not null;
