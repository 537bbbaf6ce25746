DELETE FROM instance WHERE key = ?1 AND rev = ?2
