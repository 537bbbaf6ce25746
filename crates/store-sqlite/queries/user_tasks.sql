SELECT
    key, engine, tenant, instance_key, definition_key, element_instance_key, element_id, name,
    assignee, candidate_groups, candidate_users, due_at, priority, form_key, created_at
FROM user_task
WHERE key <= ?1 AND engine = ?2 AND (?3 IS NULL OR instance_key = ?3)
ORDER BY key DESC
LIMIT ?4
