-- Locks that groups give to jobs which were there before are listed, like those of acquisitions:
-- such a job may be of any age. Both procedures are what they were but for that line, so nodes of
-- the version before go on calling them.

CREATE OR REPLACE PROCEDURE orloj.commit_group(
    of_session bigint,
    of_lane smallint,
    id bigint,
    of_epoch integer,
    instances_updated orloj.instance_step[],
    instances_deleted orloj.instance_gone[],
    instances_inserted orloj.instance_in[],
    jobs_deleted bigint[],
    jobs_updated orloj.job_step[],
    jobs_inserted orloj.job_in[],
    variables_cleared bigint[],
    variables_deleted orloj.variable_gone[],
    variables_put orloj.variable_in[],
    user_tasks_deleted bigint[],
    user_tasks_inserted orloj.user_task_in[],
    incidents_deleted bigint[],
    incidents_inserted orloj.incident_in[],
    history_added orloj.history_in[],
    ended_added orloj.ended_in[],
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
    -- Whoever is answered may rely on the disk, whatever the database's default is.
    IF current_setting('synchronous_commit') = 'off' THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;

    -- First, so that a fenced node is told that and nothing else. The row lock makes fencing wait
    -- for a group under way.
    UPDATE orloj.lane SET group_id = id
    WHERE session = of_session AND lane = of_lane AND epoch = of_epoch;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such lane' USING ERRCODE = 'OJ001';
    END IF;

    IF cardinality(instances_updated) > 0 THEN
        UPDATE orloj.instance AS i
        SET rev = s.rev, record = s.record, events = s.events
        FROM unnest(instances_updated) AS s
        WHERE i.key = s.key AND i.rev = s.expected_rev;
        GET DIAGNOSTICS hit = ROW_COUNT;
        IF hit <> cardinality(instances_updated) THEN
            RAISE EXCEPTION 'another revision' USING ERRCODE = 'OJ002';
        END IF;
    END IF;
    IF cardinality(instances_deleted) > 0 THEN
        DELETE FROM orloj.instance AS i
        USING unnest(instances_deleted) AS g
        WHERE i.key = g.key AND i.rev = g.expected_rev;
        GET DIAGNOSTICS hit = ROW_COUNT;
        IF hit <> cardinality(instances_deleted) THEN
            RAISE EXCEPTION 'another revision' USING ERRCODE = 'OJ002';
        END IF;
    END IF;
    IF cardinality(instances_inserted) > 0 THEN
        INSERT INTO orloj.instance
            (key, rev, engine, tenant, definition_key, business_key, record, events)
        SELECT
            r.key, r.rev, r.engine, r.tenant, r.definition_key, r.business_key, r.record, r.events
        FROM unnest(instances_inserted) AS r;
    END IF;

    IF cardinality(jobs_deleted) > 0 THEN
        DELETE FROM orloj.job AS j USING unnest(jobs_deleted) AS g (key) WHERE j.key = g.key;
    END IF;
    IF cardinality(jobs_updated) > 0 THEN
        -- lock_write: 0 keep, 1 clear, 2 a session's, 3 a worker's.
        UPDATE orloj.job AS j
        SET state = s.state,
            retries_left = s.retries_left,
            priority = s.priority,
            due_at = s.due_at,
            failure = coalesce(s.failure, j.failure),
            failure_details = CASE
                WHEN s.failure IS NULL THEN j.failure_details
                ELSE s.failure_details
            END,
            failed_element = CASE
                WHEN s.failure IS NULL THEN j.failed_element
                ELSE s.failed_element
            END,
            lock_session = CASE s.lock_write WHEN 0 THEN j.lock_session ELSE s.lock_session END,
            lock_listed = j.lock_listed OR s.lock_write = 2,
            lock_worker = CASE s.lock_write WHEN 0 THEN j.lock_worker ELSE s.lock_worker END,
            lock_until = CASE s.lock_write WHEN 0 THEN j.lock_until ELSE s.lock_until END,
            attempt = j.attempt + (s.lock_write >= 2)::integer,
            activations = CASE
                WHEN s.lock_write IN (0, 2) THEN j.activations
                ELSE s.activations
            END
        FROM unnest(jobs_updated) AS s
        WHERE j.key = s.key;
    END IF;
    IF cardinality(jobs_inserted) > 0 THEN
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
        FROM unnest(jobs_inserted) AS r;
    END IF;

    IF cardinality(variables_cleared) > 0 THEN
        DELETE FROM orloj.variable AS v
        USING unnest(variables_cleared) AS g (key)
        WHERE v.instance_key = g.key;
    END IF;
    IF cardinality(variables_deleted) > 0 THEN
        DELETE FROM orloj.variable AS v
        USING unnest(variables_deleted) AS g
        WHERE v.instance_key = g.instance_key AND v.scope_key = g.scope_key AND v.name = g.name;
    END IF;
    IF cardinality(variables_put) > 0 THEN
        INSERT INTO orloj.variable
            (instance_key, scope_key, name, engine, tenant, tag, bytes)
        SELECT r.instance_key, r.scope_key, r.name, r.engine, r.tenant, r.tag, r.bytes
        FROM unnest(variables_put) AS r
        ON CONFLICT (instance_key, scope_key, name)
        DO UPDATE SET tag = excluded.tag, bytes = excluded.bytes;
    END IF;

    IF cardinality(user_tasks_deleted) > 0 THEN
        DELETE FROM orloj.user_task AS u
        USING unnest(user_tasks_deleted) AS g (key)
        WHERE u.key = g.key;
    END IF;
    IF cardinality(user_tasks_inserted) > 0 THEN
        INSERT INTO orloj.user_task
            (key, engine, tenant, instance_key, definition_key, element_instance_key, element_id,
            name, assignee, candidate_groups, candidate_users, due_at, priority, form_key,
            created_at)
        SELECT
            r.key, r.engine, r.tenant, r.instance_key, r.definition_key, r.element_instance_key,
            r.element_id, r.name, r.assignee, r.candidate_groups, r.candidate_users, r.due_at,
            r.priority, r.form_key, r.created_at
        FROM unnest(user_tasks_inserted) AS r;
    END IF;
    IF cardinality(incidents_deleted) > 0 THEN
        DELETE FROM orloj.incident AS i
        USING unnest(incidents_deleted) AS g (key)
        WHERE i.key = g.key;
    END IF;
    IF cardinality(incidents_inserted) > 0 THEN
        INSERT INTO orloj.incident
            (key, engine, tenant, instance_key, definition_key, element_instance_key, element_id,
            job_key, kind, message, created_at, cause_key, root_cause_key, configuration,
            annotation)
        SELECT
            r.key, r.engine, r.tenant, r.instance_key, r.definition_key, r.element_instance_key,
            r.element_id, r.job_key, r.kind, r.message, r.created_at, r.cause_key,
            r.root_cause_key, r.configuration, r.annotation
        FROM unnest(incidents_inserted) AS r;
    END IF;

    IF cardinality(history_added) > 0 THEN
        INSERT INTO orloj.history (instance_key, rev, engine, tenant, at, events)
        SELECT r.instance_key, r.rev, r.engine, r.tenant, r.at, r.events
        FROM unnest(history_added) AS r;
    END IF;
    IF cardinality(ended_added) > 0 THEN
        INSERT INTO orloj.ended
            (key, engine, tenant, definition_key, business_key, completed, started_at, ended_at,
            variables, removal_at)
        SELECT
            r.key, r.engine, r.tenant, r.definition_key, r.business_key, r.completed,
            r.started_at, r.ended_at, r.variables, r.removal_at
        FROM unnest(ended_added) AS r;
    END IF;

    -- After the jobs, as in acquisitions: who holds the row of the node waits for nobody.
    IF lock_lowest IS NOT NULL THEN
        UPDATE orloj.node
        SET lock_floor = least(lock_floor, lock_lowest), taken_floor = lock_lowest
        WHERE session = of_session AND taken_floor > lock_lowest;
    END IF;
END
$$;

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
            priority = s.priority,
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
