DELETE FROM variable WHERE instance_key = ?1
