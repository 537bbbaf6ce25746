-- Its start timers.
DELETE FROM job INDEXED BY job_chore
WHERE instance_key = 0 AND kind = 7 AND definition_key = ?1
