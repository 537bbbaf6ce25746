-- Deleted ones too: no version is given twice.
SELECT DISTINCT ON (decision_id) *
FROM orloj.decision
WHERE engine = $1 AND tenant = $2 AND decision_id = ANY ($3)
ORDER BY decision_id, version DESC
