-- What the other tenant has already of what has a number there once, or may be there once.
SELECT 0::smallint, o.process_id, o.version
FROM orloj.definition AS d
JOIN orloj.definition AS o
    ON o.engine = d.engine AND o.tenant = $2
    AND o.process_id = d.process_id AND o.version = d.version
WHERE d.deployment_key = $1
UNION ALL
SELECT 1::smallint, o.decision_id, o.version
FROM orloj.decision AS d
JOIN orloj.decision AS o
    ON o.engine = d.engine AND o.tenant = $2
    AND o.decision_id = d.decision_id AND o.version = d.version
WHERE d.deployment_key = $1
UNION ALL
SELECT 2::smallint, o.requirements_id, o.requirements_version
FROM orloj.decision AS d
JOIN orloj.decision AS o
    ON o.engine = d.engine AND o.tenant = $2
    AND o.requirements_id = d.requirements_id
    AND o.requirements_version = d.requirements_version
WHERE d.deployment_key = $1
UNION ALL
-- The kinds of assets follow each other.
SELECT (3 + o.kind)::smallint, o.asset_id, o.version
FROM orloj.asset AS d
JOIN orloj.asset AS o
    ON o.engine = d.engine AND o.tenant = $2
    AND o.kind = d.kind AND o.asset_id = d.asset_id AND o.version = d.version
WHERE d.deployment_key = $1
UNION ALL
-- A message starts one process, except in Zeebe.
SELECT 5::smallint, o.name, 0
FROM orloj.start_event AS s
JOIN orloj.definition AS d ON d.key = s.definition_key
JOIN orloj.start_event AS o
    ON o.engine = s.engine AND o.kind = s.kind AND o.name = s.name
    AND o.tenant = $2 AND o.process_id <> s.process_id
JOIN orloj.definition AS e ON e.key = o.definition_key
WHERE d.deployment_key = $1 AND s.kind = 0 AND d.dialect <> 'zeebe' AND e.dialect <> 'zeebe'
ORDER BY 1, 2, 3
LIMIT 1
