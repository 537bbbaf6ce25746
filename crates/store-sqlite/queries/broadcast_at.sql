SELECT after_key FROM broadcast WHERE key = ?1
