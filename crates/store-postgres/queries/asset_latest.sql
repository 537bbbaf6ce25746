-- Deleted ones too: no version is given twice.
SELECT DISTINCT ON (kind, asset_id) *
FROM orloj.asset
WHERE engine = $1 AND tenant = $2 AND asset_id = ANY ($3)
ORDER BY kind, asset_id, version DESC
