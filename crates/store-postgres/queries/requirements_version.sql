SELECT requirements_id, max(requirements_version)
FROM orloj.decision
WHERE engine = $1 AND tenant = $2 AND requirements_id = ANY ($3)
GROUP BY requirements_id
