DELETE FROM history WHERE instance_key = ?1
