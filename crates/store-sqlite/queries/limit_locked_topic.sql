SELECT count(*)
FROM job INDEXED BY job_locked_topic
WHERE engine = ?1 AND topic = ?2 AND topic <> ''
    AND (lock_session IS NOT NULL OR lock_until IS NOT NULL)
