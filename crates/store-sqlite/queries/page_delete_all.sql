DELETE FROM instance_page WHERE instance_key = ?1
