-- Those of batches have the tenant of their batch.
UPDATE orloj.job
SET tenant = $3
WHERE instance_key = 0 AND definition_key = ANY ($1) AND tenant = $2 AND batch_key IS NULL
