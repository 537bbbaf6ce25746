UPDATE job SET lock_session = NULL, lock_worker = NULL, lock_until = NULL
WHERE key = ?1
    AND attempt = ?2
    -- Another session's lock is not ours to give back.
    AND (lock_session IS NULL OR lock_session = ?3)
