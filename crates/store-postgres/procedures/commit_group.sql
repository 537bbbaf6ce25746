-- A group in one call. Its statements are planned once for a connection, by the server and not by
-- name, which no pooler can disturb; and one call is one message, one transaction and one answer.
-- What is not in the group is not touched.
--
-- Joins are nested loops over primary keys, whatever the statistics say at the moment: rows are
-- then locked in the order they were sent, so groups of different nodes do not wait for each other
-- in circles, and a table that has grown since the statement was planned is never read from end to
-- end.
--
-- OJ001: the lane is gone (the node was fenced) or was reopened.
-- OJ002: an instance has another revision than expected, or none.
CREATE OR REPLACE PROCEDURE orloj.commit_group(
    of_session bigint,
    of_lane smallint,
    id bigint,
    of_epoch integer,
    laid bigint[],
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
    PERFORM FROM orloj.lane AS l
    WHERE l.session = of_session AND l.lane = of_lane AND l.epoch = of_epoch
    FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such lane' USING ERRCODE = 'OJ001';
    END IF;
    INSERT INTO orloj.landed (session, lane, group_id) VALUES (of_session, of_lane, id)
    ON CONFLICT DO NOTHING;

    -- Something is changed about jobs at hand: they get rows. Their locks are listed, as they were
    -- found by index before.
    IF cardinality(laid) > 0 THEN
        INSERT INTO orloj.job
            (key, engine, tenant, instance_key, definition_key, element_instance_key, element_id,
            kind, type, state, retries_left, priority, exclusive, lock_session, attempt,
            activations, created_at, topic, lock_listed)
        SELECT
            (i.at_hand).key, i.engine, i.tenant, i.key, i.definition_key,
            (i.at_hand).element_instance_key, (i.at_hand).element_id, (i.at_hand).kind, '', 0,
            (i.at_hand).retries_left, (i.at_hand).priority, (i.at_hand).exclusive,
            i.at_hand_session, 1, '', (i.at_hand).created_at, (i.at_hand).topic, true
        -- Locked before they are read: of two who lay down the same job one finds nothing, and then
        -- another revision.
        FROM (
            SELECT i.*
            FROM unnest(laid) AS g (key)
            JOIN orloj.instance AS i ON i.key = g.key
            WHERE i.at_hand_session IS NOT NULL
            FOR UPDATE OF i
        ) AS i;
        UPDATE orloj.instance AS i
        SET at_hand = NULL, at_hand_session = NULL
        FROM unnest(laid) AS g (key)
        WHERE i.key = g.key;
    END IF;
    IF cardinality(instances_updated) > 0 THEN
        UPDATE orloj.instance AS i
        SET rev = s.rev,
            record = s.record,
            events = s.events,
            at_hand = CASE WHEN s.at_hand_kept THEN i.at_hand ELSE s.at_hand END,
            at_hand_session = CASE
                WHEN s.at_hand_kept THEN i.at_hand_session
                WHEN (s.at_hand).key IS NOT NULL THEN of_session
            END
        FROM unnest(instances_updated) AS s
        WHERE i.key = s.key AND i.rev = s.expected_rev
            AND (i.at_hand).key IS NOT DISTINCT FROM s.at_hand_before;
        GET DIAGNOSTICS hit = ROW_COUNT;
        IF hit <> cardinality(instances_updated) THEN
            RAISE EXCEPTION 'another revision' USING ERRCODE = 'OJ002';
        END IF;
    END IF;
    IF cardinality(instances_deleted) > 0 THEN
        DELETE FROM orloj.instance AS i
        USING unnest(instances_deleted) AS g
        WHERE i.key = g.key AND i.rev = g.expected_rev
            AND (i.at_hand).key IS NOT DISTINCT FROM g.at_hand_before;
        GET DIAGNOSTICS hit = ROW_COUNT;
        IF hit <> cardinality(instances_deleted) THEN
            RAISE EXCEPTION 'another revision' USING ERRCODE = 'OJ002';
        END IF;
    END IF;
    IF cardinality(instances_inserted) > 0 THEN
        INSERT INTO orloj.instance
            (key, rev, engine, tenant, definition_key, business_key, record, events, at_hand,
            at_hand_session)
        SELECT
            r.key, r.rev, r.engine, r.tenant, r.definition_key, r.business_key, r.record, r.events,
            r.at_hand, CASE WHEN (r.at_hand).key IS NOT NULL THEN of_session END
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
