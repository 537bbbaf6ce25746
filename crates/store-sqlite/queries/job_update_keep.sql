UPDATE job SET state = ?2, retries_left = ?3, priority = ?4, due_at = ?5, failure = ?6
WHERE key = ?1
