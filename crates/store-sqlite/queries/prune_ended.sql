-- From the oldest on. Keys are made when instances start, so what ended long ago is in front.
WITH own AS MATERIALIZED (
    SELECT json_extract(value, '$[0]') AS definition_key, json_extract(value, '$[1]') AS before
    FROM json_each(?7)
)
SELECT e.key
FROM ended AS e
LEFT JOIN own ON own.definition_key = e.definition_key
WHERE e.key > ?6 AND e.engine = ?1
    AND e.ended_at < CASE WHEN own.definition_key IS NULL THEN ?2 ELSE own.before END
    AND e.ended_at / 60000 % 60 BETWEEN ?3 AND ?4
ORDER BY e.key
LIMIT ?5
