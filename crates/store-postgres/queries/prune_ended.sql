-- Definition by definition and hour by hour, the oldest first: the index is entered where the next
-- row can be, and no row that stays is read but the first of each.
WITH old AS (
    WITH RECURSIVE found (definition_key) AS (
        SELECT (
            SELECT e.definition_key
            FROM orloj.ended AS e
            WHERE e.engine = $1
            ORDER BY e.definition_key
            LIMIT 1
        )
        UNION ALL
        SELECT (
            SELECT e.definition_key
            FROM orloj.ended AS e
            WHERE e.engine = $1 AND e.definition_key > f.definition_key
            ORDER BY e.definition_key
            LIMIT 1
        )
        FROM found AS f
        WHERE f.definition_key IS NOT NULL
    ),
    aged (definition_key, before) AS (
        SELECT f.definition_key, CASE WHEN own.definition_key IS NULL THEN $2 ELSE own.before END
        FROM found AS f
        LEFT JOIN unnest($6::bigint[], $7::bigint[]) AS own (definition_key, before)
            ON own.definition_key = f.definition_key
        WHERE f.definition_key IS NOT NULL
    ),
    -- An hour starts at a multiple of its length, also before 1970.
    hour (definition_key, before, start) AS (
        SELECT a.definition_key, a.before, (
            SELECT e.ended_at - ((e.ended_at % 3600000) + 3600000) % 3600000
            FROM orloj.ended AS e
            WHERE e.engine = $1 AND e.definition_key = a.definition_key AND e.ended_at < a.before
            ORDER BY e.ended_at
            LIMIT 1
        )
        FROM aged AS a
        WHERE a.before IS NOT NULL
        UNION ALL
        SELECT h.definition_key, h.before, (
            SELECT e.ended_at - ((e.ended_at % 3600000) + 3600000) % 3600000
            FROM orloj.ended AS e
            WHERE e.engine = $1 AND e.definition_key = h.definition_key
                AND e.ended_at >= h.start + 3600000 AND e.ended_at < h.before
            ORDER BY e.ended_at
            LIMIT 1
        )
        FROM hour AS h
        WHERE h.start IS NOT NULL
    )
    SELECT e.key
    FROM hour AS h
    -- Locking keeps it apart: the planner must not join the whole table with the hours.
    CROSS JOIN LATERAL (
        SELECT e.key
        FROM orloj.ended AS e
        WHERE e.engine = $1 AND e.definition_key = h.definition_key
            AND e.ended_at >= h.start + $3 * 60000
            AND e.ended_at < least(h.start + ($4 + 1) * 60000, h.before)
        FOR UPDATE SKIP LOCKED
    ) AS e
    WHERE h.start IS NOT NULL
    LIMIT $5
),
history AS (
    DELETE FROM orloj.history AS h USING old WHERE h.instance_key = old.key
),
called AS (
    DELETE FROM orloj.called AS c USING old WHERE c.key = old.key
),
gone AS (
    DELETE FROM orloj.ended AS e USING old WHERE e.key = old.key RETURNING e.key
)
SELECT count(*) FROM gone
