-- For the rest of the transaction: lets a statement that reads a whole table scan it.
set local enable_seqscan = on
