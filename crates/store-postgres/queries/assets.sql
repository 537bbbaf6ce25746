SELECT *
FROM orloj.asset
WHERE engine = $1 AND NOT deleted AND ($2::bigint IS NULL OR key < $2)
ORDER BY key DESC
LIMIT $3
