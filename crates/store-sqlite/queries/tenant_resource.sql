UPDATE resource SET tenant = ?2 WHERE deployment_key = ?1
