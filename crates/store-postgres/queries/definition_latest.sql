-- Deleted ones too: no version is given twice.
SELECT DISTINCT ON (process_id) *
FROM orloj.definition
WHERE engine = $1 AND tenant = $2 AND process_id = ANY ($3)
ORDER BY process_id, version DESC
