DELETE FROM batch WHERE key = ?1
