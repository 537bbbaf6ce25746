UPDATE job SET lock_listed = 1 WHERE key = ?1 AND lock_session = ?2
