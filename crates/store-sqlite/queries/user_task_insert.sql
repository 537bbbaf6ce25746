INSERT INTO user_task (
    key, engine, tenant, instance_key, definition_key, element_instance_key, element_id, name,
    assignee, candidate_groups, candidate_users, due_at, priority, form_key, created_at
)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
