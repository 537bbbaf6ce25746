-- What job_acquire_engine.sql would take, without what has reached a limit.
SELECT
    key, engine, tenant, instance_key, definition_key, element_instance_key, element_id, kind, type,
    state, retries_left, priority, exclusive, due_at, lock_session, lock_worker, lock_until, attempt,
    activations, failure, created_at, topic, category, limit_key, batch_key, payload,
    failure_details, failed_element
FROM job INDEXED BY job_ready
WHERE state = 0 AND lock_session IS NULL AND lock_until IS NULL
    AND engine = ?1
    AND type = ''
    AND kind NOT IN (2, 5)
    AND priority BETWEEN ?4 AND ?5
    AND (?6 IS NULL OR definition_key = 0 OR definition_key IN (SELECT value FROM json_each(?6)))
    AND (?7 IS NULL OR category IN (SELECT value FROM json_each(?7)))
    AND (?8 IS NULL OR topic = '' OR topic NOT IN (SELECT value FROM json_each(?8)))
    AND (?9 = 0 OR kind <> 15)
    AND (?13 IS NULL OR tenant = ?13)
    AND (?15 = 0 OR due_at IS NOT NULL)
    -- None beside an exclusive one that was stopped while it runs: its lock is there until
    -- whoever runs it is done. Nearly always there is no such job.
    AND (
        exclusive = 0
        OR instance_key = 0
        OR iif(
            ?14,
            coalesce(
                (SELECT root_key FROM called WHERE called.key = job.instance_key),
                job.instance_key
            ),
            job.instance_key
        ) NOT IN (
            SELECT iif(?14, coalesce(called.root_key, held.instance_key), held.instance_key)
            FROM job AS held INDEXED BY job_still_held
            LEFT JOIN called ON called.key = held.instance_key
            WHERE held.state <> 0 AND held.lock_session IS NOT NULL AND held.exclusive = 1
                AND held.engine = ?1
        )
    )
    AND (topic = '' OR topic NOT IN (SELECT value FROM json_each(?10)))
    AND tenant NOT IN (SELECT value FROM json_each(?11))
    AND (limit_key IS NULL OR limit_key NOT IN (SELECT value FROM json_each(?12)))
    -- One place is not given here: the statement that locks takes the session.
    AND ?3 IS NOT NULL
ORDER BY priority DESC, key
LIMIT ?2
