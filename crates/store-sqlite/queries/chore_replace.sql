-- Start timers of earlier versions of a process.
DELETE FROM job INDEXED BY job_chore
WHERE instance_key = 0 AND kind = 7
    AND definition_key IN (
        SELECT key FROM definition WHERE engine = ?1 AND tenant = ?2 AND process_id = ?3
    )
