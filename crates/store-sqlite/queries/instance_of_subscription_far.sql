SELECT instance_key FROM subscription WHERE element_instance_key = ?1 LIMIT 1
