-- Definition by definition and hour by hour, the oldest first: the index is entered where the next
-- row can be, and no row that stays is read but the first of each.
WITH RECURSIVE
own AS MATERIALIZED (
    SELECT json_extract(value, '$[0]') AS definition_key, json_extract(value, '$[1]') AS before
    FROM json_each(?6)
),
found (definition_key) AS (
    SELECT (
        SELECT e.definition_key
        FROM ended AS e INDEXED BY ended_age
        WHERE e.engine = ?1
        ORDER BY e.definition_key
        LIMIT 1
    )
    UNION ALL
    SELECT (
        SELECT e.definition_key
        FROM ended AS e INDEXED BY ended_age
        WHERE e.engine = ?1 AND e.definition_key > f.definition_key
        ORDER BY e.definition_key
        LIMIT 1
    )
    FROM found AS f
    WHERE f.definition_key IS NOT NULL
),
aged (definition_key, before) AS (
    SELECT f.definition_key, CASE WHEN own.definition_key IS NULL THEN ?2 ELSE own.before END
    FROM found AS f
    LEFT JOIN own ON own.definition_key = f.definition_key
    WHERE f.definition_key IS NOT NULL
),
-- An hour starts at a multiple of its length, also before 1970.
hour (definition_key, before, start) AS (
    SELECT a.definition_key, a.before, (
        SELECT e.ended_at - ((e.ended_at % 3600000) + 3600000) % 3600000
        FROM ended AS e INDEXED BY ended_age
        WHERE e.engine = ?1 AND e.definition_key = a.definition_key AND e.ended_at < a.before
        ORDER BY e.ended_at
        LIMIT 1
    )
    FROM aged AS a
    WHERE a.before IS NOT NULL
    UNION ALL
    SELECT h.definition_key, h.before, (
        SELECT e.ended_at - ((e.ended_at % 3600000) + 3600000) % 3600000
        FROM ended AS e INDEXED BY ended_age
        WHERE e.engine = ?1 AND e.definition_key = h.definition_key
            AND e.ended_at >= h.start + 3600000 AND e.ended_at < h.before
        ORDER BY e.ended_at
        LIMIT 1
    )
    FROM hour AS h
    WHERE h.start IS NOT NULL
)
SELECT e.key
FROM hour AS h
CROSS JOIN ended AS e INDEXED BY ended_age
WHERE h.start IS NOT NULL
    AND e.engine = ?1 AND e.definition_key = h.definition_key
    AND e.ended_at >= h.start + ?3 * 60000
    AND e.ended_at < min(h.start + (?4 + 1) * 60000, h.before)
LIMIT ?5
