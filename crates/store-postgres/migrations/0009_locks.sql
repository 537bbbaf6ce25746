-- Whether a lock of a session is found by an index: those that acquisitions give, and those that
-- are held for long. Locks from before are listed, whoever holds them.
ALTER TABLE orloj.job ADD COLUMN lock_listed boolean NOT NULL DEFAULT true;
ALTER TABLE orloj.job ALTER COLUMN lock_listed SET DEFAULT false;
