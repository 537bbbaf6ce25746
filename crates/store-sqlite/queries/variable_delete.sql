DELETE FROM variable WHERE instance_key = ?1 AND scope_key = ?2 AND name = ?3
