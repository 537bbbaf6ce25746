UPDATE definition SET tenant_before = NULL WHERE deployment_key = ?1
