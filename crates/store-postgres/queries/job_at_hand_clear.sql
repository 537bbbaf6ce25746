-- The jobs at hand of sessions that are gone get rows, which nobody has locked. With another
-- revision of their instances: whoever has one of these in memory reads it again.
WITH held AS (
    SELECT i.key, i.at_hand
    FROM orloj.instance AS i
    WHERE i.at_hand_session IS NOT NULL
        AND NOT EXISTS (SELECT FROM orloj.node AS n WHERE n.session = i.at_hand_session)
    ORDER BY i.key
    FOR UPDATE OF i
),
cleared AS (
    UPDATE orloj.instance AS i
    SET at_hand = NULL, at_hand_session = NULL, rev = i.rev + 1
    FROM held
    WHERE i.key = held.key
    RETURNING i.key, i.engine, i.tenant, i.definition_key
)
INSERT INTO orloj.job
    (key, engine, tenant, instance_key, definition_key, element_instance_key, element_id, kind,
    type, state, retries_left, priority, exclusive, attempt, activations, created_at, topic)
SELECT
    (held.at_hand).key, c.engine, c.tenant, c.key, c.definition_key,
    (held.at_hand).element_instance_key, (held.at_hand).element_id, (held.at_hand).kind, '', 0,
    (held.at_hand).retries_left, (held.at_hand).priority, (held.at_hand).exclusive, 1, '',
    (held.at_hand).created_at, (held.at_hand).topic
FROM cleared AS c
JOIN held ON held.key = c.key
