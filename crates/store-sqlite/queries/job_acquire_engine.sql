UPDATE job SET lock_session = ?3, lock_listed = 1, attempt = attempt + 1
WHERE key IN (
    SELECT key
    -- The index and the order are those of the selection. The conditions on state, locks and type
    -- are those of the index, word for word, or it is not used.
    FROM job INDEXED BY job_ready
    WHERE state = 0 AND lock_session IS NULL AND lock_until IS NULL
        AND engine = ?1
        AND type = ''
        -- A worker's job whose type its author left empty is not the engine's.
        AND kind NOT IN (2, 5)
        AND priority BETWEEN ?4 AND ?5
        AND (?6 IS NULL OR definition_key = 0 OR definition_key IN (SELECT value FROM json_each(?6)))
        AND (?7 IS NULL OR category IN (SELECT value FROM json_each(?7)))
        AND (?8 IS NULL OR topic = '' OR topic NOT IN (SELECT value FROM json_each(?8)))
        AND (?9 = 0 OR kind <> 15)
        AND (?10 IS NULL OR tenant = ?10)
        AND (?12 = 0 OR due_at IS NOT NULL)
        -- None beside an exclusive one that was stopped while it runs: its lock is there until
        -- whoever runs it is done. Nearly always there is no such job.
        AND (
            exclusive = 0
            OR instance_key = 0
            OR iif(
                ?11,
                coalesce(
                    (SELECT root_key FROM called WHERE called.key = job.instance_key),
                    job.instance_key
                ),
                job.instance_key
            ) NOT IN (
                SELECT iif(?11, coalesce(called.root_key, held.instance_key), held.instance_key)
                FROM job AS held INDEXED BY job_still_held
                LEFT JOIN called ON called.key = held.instance_key
                WHERE held.state <> 0 AND held.lock_session IS NOT NULL AND held.exclusive = 1
                    AND held.engine = ?1
            )
        )
    ORDER BY priority DESC, key
    LIMIT ?2
)
RETURNING
    key, engine, tenant, instance_key, definition_key, element_instance_key, element_id, kind, type,
    state, retries_left, priority, exclusive, due_at, lock_session, lock_worker, lock_until, attempt,
    activations, failure, created_at, topic, category, limit_key, batch_key, payload,
    failure_details, failed_element
