SELECT *
FROM orloj.decision
WHERE engine = $1 AND tenant = $2 AND decision_id = $3
    AND ($4::integer IS NULL OR version = $4)
    AND ($5::text IS NULL OR version_tag = $5)
    AND ($6::bigint IS NULL OR deployment_key = $6)
    AND NOT deleted
ORDER BY version DESC
LIMIT 1
