DELETE FROM broadcast WHERE key = ?1 AND place = ?2
