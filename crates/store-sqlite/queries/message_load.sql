SELECT key, engine, tenant, name, correlation_key, message_id, variables, expires_at FROM message WHERE key = ?1
