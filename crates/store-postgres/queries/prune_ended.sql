-- From the oldest on. Keys are made when instances start, so what ended long ago is in front.
WITH old AS (
    SELECT e.key
    FROM orloj.ended AS e
    LEFT JOIN unnest($7::bigint[], $8::bigint[]) AS own (definition_key, before)
        ON own.definition_key = e.definition_key
    WHERE e.engine = $1 AND e.key > $6
        AND e.ended_at < CASE WHEN own.definition_key IS NULL THEN $2 ELSE own.before END
        AND e.ended_at / 60000 % 60 BETWEEN $3 AND $4
    ORDER BY e.key
    LIMIT $5
    FOR UPDATE OF e SKIP LOCKED
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
SELECT count(*), max(key) FROM gone
