UPDATE broadcast SET place = ?3 WHERE key = ?1 AND place = ?2
