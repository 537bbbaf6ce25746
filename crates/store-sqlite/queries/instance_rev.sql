SELECT rev FROM instance WHERE key = ?1
