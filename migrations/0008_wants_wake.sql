-- Whether a push for the message may be a silent wake. Of the messages before, none may.
alter table message add column wants_wake boolean not null default false;
