DELETE FROM instance_page WHERE instance_key = ?1 AND kind = ?2 AND first_key = ?3
