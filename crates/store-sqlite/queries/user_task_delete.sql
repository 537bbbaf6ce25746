DELETE FROM user_task WHERE key = ?1
