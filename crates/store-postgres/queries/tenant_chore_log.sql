UPDATE orloj.chore_log
SET tenant = $3
WHERE definition_key = ANY ($1) AND tenant = $2 AND batch_key IS NULL
