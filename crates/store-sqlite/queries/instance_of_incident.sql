SELECT instance_key FROM incident WHERE element_instance_key = ?1 LIMIT 1
