-- The part of a group that is about chores, batches, the log of operations and notes on incidents:
-- called after the rest of the group, in its transaction.
--
-- OJ002: a chore is held otherwise than expected, is gone, or exists.
CREATE OR REPLACE PROCEDURE orloj.commit_chores(
    of_session bigint,
    chores_written orloj.chore_step[],
    chores_inserted orloj.job_in[],
    batches_inserted orloj.batch_in[],
    batches_written orloj.batch_step[],
    batches_gone orloj.batch_gone[],
    operations_added orloj.operation_in[],
    incidents_annotated orloj.incident_note[],
    job_definitions_added orloj.job_definition_in[],
    lock_lowest bigint
)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET jit = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $$
DECLARE
    hit bigint;
BEGIN
    IF cardinality(chores_written) > 0 THEN
        DELETE FROM orloj.job AS j
        USING unnest(chores_written) AS s
        WHERE j.key = s.key AND s.gone
            AND CASE
                WHEN s.held_by IS NULL THEN j.lock_session IS NULL AND j.lock_until IS NULL
                ELSE j.lock_session = s.held_by AND j.attempt = s.held_attempt
            END;
        GET DIAGNOSTICS hit = ROW_COUNT;
        IF hit <> (SELECT count(*) FROM unnest(chores_written) AS s WHERE s.gone) THEN
            RAISE EXCEPTION 'a chore is held otherwise' USING ERRCODE = 'OJ002';
        END IF;
        UPDATE orloj.job AS j
        SET state = s.state,
            retries_left = s.retries_left,
            priority = coalesce(s.priority, j.priority),
            due_at = s.due_at,
            failure = CASE WHEN s.failure_written THEN s.failure ELSE j.failure END,
            failure_details = CASE
                WHEN s.failure_written THEN s.failure_details
                ELSE j.failure_details
            END,
            failed_element = CASE
                WHEN s.failure_written THEN s.failed_element
                ELSE j.failed_element
            END,
            payload = coalesce(s.payload, j.payload),
            lock_session = CASE s.lock_write WHEN 0 THEN j.lock_session ELSE s.lock_session END,
            lock_listed = j.lock_listed OR s.lock_write = 2,
            lock_worker = CASE s.lock_write WHEN 0 THEN j.lock_worker ELSE s.lock_worker END,
            lock_until = CASE s.lock_write WHEN 0 THEN j.lock_until ELSE s.lock_until END,
            attempt = j.attempt + (s.lock_write >= 2)::integer,
            activations = CASE
                WHEN s.lock_write IN (0, 2) THEN j.activations
                ELSE s.activations
            END
        FROM unnest(chores_written) AS s
        WHERE j.key = s.key AND NOT s.gone
            AND CASE
                WHEN s.held_by IS NULL THEN j.lock_session IS NULL AND j.lock_until IS NULL
                ELSE j.lock_session = s.held_by AND j.attempt = s.held_attempt
            END;
        GET DIAGNOSTICS hit = ROW_COUNT;
        IF hit <> (SELECT count(*) FROM unnest(chores_written) AS s WHERE NOT s.gone) THEN
            RAISE EXCEPTION 'a chore is held otherwise' USING ERRCODE = 'OJ002';
        END IF;
    END IF;
    IF cardinality(chores_inserted) > 0 THEN
        INSERT INTO orloj.job
            (key, engine, tenant, instance_key, definition_key, element_instance_key, element_id,
            kind, type, state, retries_left, priority, exclusive, due_at, lock_session,
            lock_worker, lock_until, attempt, activations, failure, created_at, topic, category,
            limit_key, batch_key, payload, failure_details, failed_element)
        SELECT
            r.key, r.engine, r.tenant, r.instance_key, r.definition_key, r.element_instance_key,
            r.element_id, r.kind, r.type, r.state, r.retries_left, r.priority, r.exclusive,
            r.due_at, r.lock_session, r.lock_worker, r.lock_until, r.attempt, r.activations,
            r.failure, r.created_at, r.topic, r.category, r.limit_key, r.batch_key, r.payload,
            r.failure_details, r.failed_element
        FROM unnest(chores_inserted) AS r
        ON CONFLICT (key) DO NOTHING;
        GET DIAGNOSTICS hit = ROW_COUNT;
        IF hit <> cardinality(chores_inserted) THEN
            RAISE EXCEPTION 'a chore exists' USING ERRCODE = 'OJ002';
        END IF;
    END IF;

    IF cardinality(job_definitions_added) > 0 THEN
        INSERT INTO orloj.job_definition
            (key, engine, tenant, definition_key, process_id, element_id, kind, configuration,
            suspended, priority)
        SELECT
            r.key, r.engine, r.tenant, r.definition_key, r.process_id, r.element_id, r.kind,
            r.configuration, r.suspended, r.priority
        FROM unnest(job_definitions_added) AS r;
    END IF;
    IF cardinality(batches_inserted) > 0 THEN
        INSERT INTO orloj.batch
            (key, engine, tenant, kind, total, parts_made, config, suspended, created_at,
            started_at, created_by)
        SELECT
            r.key, r.engine, r.tenant, r.kind, r.total, r.parts_made, r.config, r.suspended,
            r.created_at, r.started_at, r.created_by
        FROM unnest(batches_inserted) AS r;
    END IF;
    IF cardinality(batches_written) > 0 THEN
        UPDATE orloj.batch AS b
        SET parts_made = coalesce(s.parts_made, b.parts_made),
            config = coalesce(s.config, b.config),
            suspended = coalesce(s.suspended, b.suspended),
            started_at = coalesce(b.started_at, s.started_at)
        FROM unnest(batches_written) AS s
        WHERE b.key = s.key;
    END IF;
    IF cardinality(batches_gone) > 0 THEN
        INSERT INTO orloj.ended_batch
            (key, engine, tenant, kind, total, created_at, started_at, created_by, ended_at,
            removal_at, parts_made, parts_done, parts_failed)
        SELECT
            b.key, b.engine, b.tenant, b.kind, b.total, b.created_at, b.started_at, b.created_by,
            g.ended_at, g.removal_at, b.parts_made, g.parts_done, g.parts_failed
        FROM unnest(batches_gone) AS g
        JOIN orloj.batch AS b ON b.key = g.key
        WHERE g.ended_at IS NOT NULL;
        DELETE FROM orloj.batch AS b USING unnest(batches_gone) AS g WHERE b.key = g.key;
        -- They belong to no definition and name their batch.
        DELETE FROM orloj.job_definition AS d
        USING unnest(batches_gone) AS g
        WHERE d.definition_key = 0 AND d.configuration = g.key::text;
    END IF;
    IF cardinality(operations_added) > 0 THEN
        INSERT INTO orloj.operation
            (key, group_key, engine, tenant, at, user_id, operation, entity, entity_key,
            instance_key, definition_key, job_definition_key, property, old_value, new_value)
        SELECT
            r.key, r.group_key, r.engine, r.tenant, r.at, r.user_id, r.operation, r.entity,
            r.entity_key, r.instance_key, r.definition_key, r.job_definition_key, r.property,
            r.old_value, r.new_value
        FROM unnest(operations_added) AS r;
    END IF;
    IF cardinality(incidents_annotated) > 0 THEN
        UPDATE orloj.incident AS i
        SET annotation = r.annotation
        FROM unnest(incidents_annotated) AS r
        WHERE i.key = r.key;
    END IF;

    -- After all others, as in acquisitions: who holds the row of the node waits for nobody.
    IF lock_lowest IS NOT NULL THEN
        UPDATE orloj.node
        SET lock_floor = least(lock_floor, lock_lowest), taken_floor = lock_lowest
        WHERE session = of_session AND taken_floor > lock_lowest;
    END IF;
END
$$;
