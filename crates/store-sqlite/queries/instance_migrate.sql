UPDATE instance SET definition_key = ?2 WHERE key = ?1
