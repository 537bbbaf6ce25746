SELECT instance_key FROM job WHERE element_instance_key = ?1 LIMIT 1
