-- What is kept of chores and batches beyond their end.

-- How far a batch had come. Rows from before know only that they are over.
ALTER TABLE ended_batch ADD COLUMN parts_made INTEGER;
ALTER TABLE ended_batch ADD COLUMN parts_done INTEGER;
ALTER TABLE ended_batch ADD COLUMN parts_failed INTEGER;
