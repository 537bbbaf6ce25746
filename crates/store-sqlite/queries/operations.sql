-- In the order of keys, page by page: the plus keeps the index by age out of it.
SELECT
    key, group_key, engine, tenant, at, user, operation, entity, entity_key, instance_key,
    definition_key, job_definition_key, property, old, new
FROM operation
WHERE key <= ?1 AND +engine = ?2
    AND (?4 IS NULL OR group_key = ?4)
    AND (?5 IS NULL OR user = ?5)
    AND (?6 IS NULL OR operation = ?6)
    AND (?7 IS NULL OR entity = ?7)
    AND (?8 IS NULL OR entity_key = ?8)
    AND (?9 IS NULL OR instance_key = ?9)
    AND (?10 IS NULL OR definition_key = ?10)
    AND (?11 IS NULL OR job_definition_key = ?11)
    AND (?12 IS NULL OR property = ?12)
    AND (?13 IS NULL OR at >= ?13)
    AND (?14 IS NULL OR at < ?14)
ORDER BY key DESC
LIMIT ?3
