UPDATE incident SET definition_key = ?2, element_id = ?3 WHERE key = ?1
