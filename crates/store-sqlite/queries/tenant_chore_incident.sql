UPDATE incident AS i
SET tenant = ?3
WHERE i.instance_key = 0 AND i.definition_key IN (SELECT value FROM json_each(?1))
    AND i.tenant = ?2
    AND NOT EXISTS (
        SELECT 1 FROM job AS j WHERE j.key = i.job_key AND j.batch_key IS NOT NULL
    )
