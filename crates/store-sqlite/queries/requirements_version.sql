SELECT requirements_version
FROM decision
WHERE engine = ?1 AND tenant = ?2 AND requirements_id = ?3
ORDER BY requirements_version DESC
LIMIT 1
