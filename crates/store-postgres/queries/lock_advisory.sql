-- Until the end of the transaction, hence fit for a transaction pooler. The first number is ours,
-- the second tells what is serialised.
SELECT pg_advisory_xact_lock($1, hashtext($2))
