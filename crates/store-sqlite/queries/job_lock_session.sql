UPDATE job SET lock_session = ?2, attempt = attempt + 1
WHERE key = ?1
