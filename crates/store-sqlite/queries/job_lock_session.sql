UPDATE job SET lock_session = ?2, lock_listed = 1, attempt = attempt + 1
WHERE key = ?1
