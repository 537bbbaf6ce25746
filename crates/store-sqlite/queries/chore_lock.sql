SELECT lock_session, lock_until IS NOT NULL, attempt FROM job WHERE key = ?1
