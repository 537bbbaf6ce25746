SELECT *
FROM orloj.asset
WHERE engine = $1 AND tenant = $2 AND kind = $3 AND asset_id = $4
    AND ($5::integer IS NULL OR version = $5)
    AND ($6::text IS NULL OR version_tag = $6)
    AND ($7::bigint IS NULL OR deployment_key = $7)
    AND NOT deleted
ORDER BY version DESC
LIMIT 1
