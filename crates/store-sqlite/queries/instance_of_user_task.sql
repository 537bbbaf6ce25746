SELECT instance_key FROM user_task WHERE element_instance_key = ?1 LIMIT 1
