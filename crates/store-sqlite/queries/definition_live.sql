SELECT key
FROM definition
WHERE engine = ?1 AND tenant = ?2 AND process_id = ?3 AND NOT deleted
ORDER BY version DESC
LIMIT 2
