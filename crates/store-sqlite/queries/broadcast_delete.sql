DELETE FROM broadcast WHERE key = ?1 AND after_key IS ?2
