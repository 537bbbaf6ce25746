SELECT *
FROM orloj.definition
WHERE engine = $1 AND tenant = $2 AND process_id = $3 AND NOT deleted
    AND ($4::integer IS NULL OR version = $4)
ORDER BY version DESC
LIMIT 1
