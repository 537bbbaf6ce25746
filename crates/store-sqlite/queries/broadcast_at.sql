SELECT place FROM broadcast WHERE key = ?1
