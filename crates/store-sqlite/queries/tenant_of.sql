-- Of a deployment, and whether an earlier change of it is still to be settled.
SELECT
    r.tenant,
    EXISTS (
        SELECT 1
        FROM definition AS d
        WHERE d.deployment_key = r.deployment_key AND d.tenant_before IS NOT NULL
    )
FROM resource AS r
WHERE r.engine = ?1 AND r.deployment_key = ?2
LIMIT 1
