UPDATE instance SET rev = ?3, record = ?4, events = ?5 WHERE key = ?1 AND rev = ?2
