INSERT INTO orloj.user_task
    (key, engine, tenant, instance_key, definition_key, element_instance_key, element_id, name,
    assignee, candidate_groups, candidate_users, due_at, priority, form_key, created_at)
SELECT
    key, engine, tenant, instance_key, definition_key, element_instance_key, element_id, name,
    assignee, candidate_groups, candidate_users, due_at, priority, form_key, created_at
FROM unnest($1::orloj.user_task_in[])
