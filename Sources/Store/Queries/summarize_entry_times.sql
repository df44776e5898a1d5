-- Takes the newest entries into the summaries of mailbox_entry_order, should autovacuum not have come to it:
-- what has none is read whole by every question about time. Blocks no reader and no writer.
select brin_summarize_new_values('mailbox_entry_order')
