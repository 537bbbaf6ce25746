DELETE FROM job_limit WHERE engine = ?1 AND scope = ?2 AND name = ?3
