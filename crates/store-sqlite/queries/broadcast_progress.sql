UPDATE broadcast SET after_key = ?3 WHERE key = ?1 AND after_key IS ?2
