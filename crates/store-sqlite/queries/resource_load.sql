SELECT content FROM resource WHERE deployment_key = ?1 AND name = ?2
