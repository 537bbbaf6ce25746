SELECT 1 FROM job_limit WHERE scope = ?1 LIMIT 1
