-- What is kept of chores and batches beyond their end.

-- How far a batch had come. Rows from before know only that they are over.
ALTER TABLE orloj.ended_batch
    ADD COLUMN parts_made bigint,
    ADD COLUMN parts_done bigint,
    ADD COLUMN parts_failed bigint;
ALTER TYPE orloj.batch_gone
    ADD ATTRIBUTE parts_done bigint,
    ADD ATTRIBUTE parts_failed bigint;

DROP PROCEDURE IF EXISTS orloj.commit_chores;
