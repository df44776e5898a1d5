-- A user's first push record, and first checkpoint, was checked against app_user: the user's row was found,
-- locked, and so written, which cost twice as much as the row itself. Users leave by delete only, and this
-- trigger takes with them what the foreign keys took. Who writes for users that may have left looks for them;
-- what is written in the very moment in which they leave stays behind, and belongs to nobody.
alter table user_push_record drop constraint user_push_record_user_key_fkey;
alter table user_checkpoint drop constraint user_checkpoint_user_key_fkey;

create function delete_rows_of_users() returns trigger
language plpgsql as $$
begin
    delete from user_push_record using gone where user_push_record.user_key = gone.user_key;
    delete from user_checkpoint using gone where user_checkpoint.user_key = gone.user_key;
    return null;
end
$$;
create trigger app_user_has_left after delete on app_user
    referencing old table as gone for each statement execute function delete_rows_of_users();
