-- Those of batches have the tenant of their batch.
UPDATE job INDEXED BY job_chore
SET tenant = ?3
WHERE instance_key = 0 AND definition_key IN (SELECT value FROM json_each(?1))
    AND tenant = ?2 AND batch_key IS NULL
