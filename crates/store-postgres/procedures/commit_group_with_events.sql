-- A group some of whose changes are about waits, messages, broadcasts and calls. The rest of it is
-- what it always was.
--
-- Who adds to a channel holds its lock until the end of the transaction and looks at the channel
-- after having got it; so of two that add to one channel the later sees what the earlier added.
-- The locks come first, in order, so whoever waits for one holds no row that its holder could
-- want. The server has room for a limited number of them: a group of very many channels takes one
-- lock that shuts out all others instead. The row of the node comes last, as in the other
-- procedure: who holds it waits for nobody.
--
-- OJ002 as well: a message or a broadcast is not as expected.
-- `fits` comes back with three numbers for each fit: message, subscription, instance.
CREATE OR REPLACE PROCEDURE orloj.commit_group_with_events(
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
    lock_lowest bigint,
    channels orloj.channel[],
    called_added orloj.called_in[],
    subscriptions_deleted bigint[],
    subscriptions_inserted orloj.subscription_in[],
    messages_taken orloj.message_take[],
    messages_deleted bigint[],
    messages_inserted orloj.message_in[],
    broadcasts_inserted orloj.broadcast_in[],
    broadcasts_moved orloj.broadcast_step[],
    rows_migrated orloj.migrated[],
    now_at bigint,
    INOUT fits bigint[]
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
    -- Names our locks among those of other programs in the same database.
    locks_seed CONSTANT bigint := 1869769839;
    locks_max CONSTANT integer := 256;
    hit bigint;
    slots bigint[];
    slot bigint;
BEGIN
    -- Looking at a channel after having waited for it needs a snapshot of that moment.
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'the default isolation level of this database must be read committed'
            USING ERRCODE = '55000';
    END IF;

    IF cardinality(channels) > 0 THEN
        SELECT array_agg(DISTINCT hashtextextended(
            concat_ws(chr(1), c.engine, c.tenant, c.name, c.correlation_key), locks_seed
        ))
        INTO slots
        FROM unnest(channels) AS c;
        IF cardinality(slots) > locks_max THEN
            PERFORM pg_advisory_xact_lock(locks_seed);
        ELSE
            PERFORM pg_advisory_xact_lock_shared(locks_seed);
            -- DISTINCT has sorted them.
            FOREACH slot IN ARRAY slots LOOP
                PERFORM pg_advisory_xact_lock(slot);
            END LOOP;
        END IF;
    END IF;

    CALL orloj.commit_group(
        of_session, of_lane, id, of_epoch, laid, instances_updated, instances_deleted,
        instances_inserted, jobs_deleted, jobs_updated, jobs_inserted, variables_cleared,
        variables_deleted, variables_put, user_tasks_deleted, user_tasks_inserted,
        incidents_deleted, incidents_inserted, history_added, ended_added, NULL
    );

    -- After the rows that the same group adds. The instances are locked already.
    IF cardinality(rows_migrated) > 0 THEN
        UPDATE orloj.instance AS i
        SET definition_key = r.definition_key
        FROM unnest(rows_migrated) AS r
        WHERE i.key = r.key AND r.of_table = 0;
        UPDATE orloj.job AS j
        SET definition_key = r.definition_key, element_id = r.element_id
        FROM unnest(rows_migrated) AS r
        WHERE j.key = r.key AND r.of_table = 1;
        UPDATE orloj.user_task AS u
        SET definition_key = r.definition_key, element_id = r.element_id
        FROM unnest(rows_migrated) AS r
        WHERE u.key = r.key AND r.of_table = 2;
        UPDATE orloj.incident AS i
        SET definition_key = r.definition_key, element_id = r.element_id
        FROM unnest(rows_migrated) AS r
        WHERE i.key = r.key AND r.of_table = 3;
    END IF;

    IF cardinality(called_added) > 0 THEN
        INSERT INTO orloj.called (key, caller_key, root_key)
        SELECT r.key, r.caller_key, r.root_key
        FROM unnest(called_added) AS r
        -- It was written when the instance started.
        ON CONFLICT (key) DO NOTHING;
    END IF;

    IF cardinality(subscriptions_deleted) > 0 THEN
        DELETE FROM orloj.subscription AS s
        USING unnest(subscriptions_deleted) AS g (key)
        WHERE s.key = g.key;
    END IF;
    IF cardinality(subscriptions_inserted) > 0 THEN
        INSERT INTO orloj.subscription
            (key, engine, tenant, instance_key, definition_key, element_instance_key, event_id,
            kind, name, correlation_key)
        SELECT
            r.key, r.engine, r.tenant, r.instance_key, r.definition_key, r.element_instance_key,
            r.event_id, r.kind, r.name, r.correlation_key
        FROM unnest(subscriptions_inserted) AS r;
    END IF;

    -- Added first: a change may take what it adds.
    IF cardinality(messages_inserted) > 0 THEN
        -- An id is free again when its message has expired, also before anyone has removed it.
        WITH expired AS (
            DELETE FROM orloj.message AS m
            USING unnest(messages_inserted) AS r
            WHERE m.engine = r.engine AND m.tenant = r.tenant AND m.name = r.name
                AND m.correlation_key = r.correlation_key AND m.message_id = r.message_id
                AND m.expires_at <= now_at
            RETURNING m.key
        )
        DELETE FROM orloj.message_taken AS t USING expired WHERE t.message_key = expired.key;
        INSERT INTO orloj.message
            (key, engine, tenant, name, correlation_key, message_id, variables, expires_at)
        SELECT
            r.key, r.engine, r.tenant, r.name, r.correlation_key, r.message_id, r.variables,
            r.expires_at
        FROM unnest(messages_inserted) AS r;
    END IF;
    IF cardinality(messages_taken) > 0 THEN
        -- The message must not go before this is known.
        PERFORM 1
        FROM unnest(messages_taken) AS t
        JOIN orloj.message AS m ON m.key = t.message_key
        FOR KEY SHARE OF m;
        INSERT INTO orloj.message_taken (message_key, process_id)
        SELECT t.message_key, t.process_id
        FROM unnest(messages_taken) AS t
        JOIN orloj.message AS m ON m.key = t.message_key
        ON CONFLICT (message_key, process_id) DO NOTHING;
        GET DIAGNOSTICS hit = ROW_COUNT;
        IF hit <> cardinality(messages_taken) THEN
            RAISE EXCEPTION 'a message was taken' USING ERRCODE = 'OJ002';
        END IF;
    END IF;
    IF cardinality(messages_deleted) > 0 THEN
        DELETE FROM orloj.message AS m
        USING unnest(messages_deleted) AS g (key)
        WHERE m.key = g.key;
        GET DIAGNOSTICS hit = ROW_COUNT;
        IF hit <> cardinality(messages_deleted) THEN
            RAISE EXCEPTION 'a message is gone' USING ERRCODE = 'OJ002';
        END IF;
        DELETE FROM orloj.message_taken AS t
        USING unnest(messages_deleted) AS g (key)
        WHERE t.message_key = g.key;
    END IF;

    IF cardinality(broadcasts_inserted) > 0 THEN
        INSERT INTO orloj.broadcast (key, engine, tenant, name, variables, place)
        SELECT r.key, r.engine, r.tenant, r.name, r.variables, r.place
        FROM unnest(broadcasts_inserted) AS r;
    END IF;
    IF cardinality(broadcasts_moved) > 0 THEN
        UPDATE orloj.broadcast AS b
        SET place = s.place
        FROM unnest(broadcasts_moved) AS s
        WHERE b.key = s.key AND b.place = s.expected_place AND s.place IS NOT NULL;
        GET DIAGNOSTICS hit = ROW_COUNT;
        IF hit <> (SELECT count(s.place) FROM unnest(broadcasts_moved) AS s) THEN
            RAISE EXCEPTION 'a broadcast is elsewhere' USING ERRCODE = 'OJ002';
        END IF;
        DELETE FROM orloj.broadcast AS b
        USING unnest(broadcasts_moved) AS s
        WHERE b.key = s.key AND b.place = s.expected_place AND s.place IS NULL;
        GET DIAGNOSTICS hit = ROW_COUNT;
        IF hit <> (SELECT count(*) FROM unnest(broadcasts_moved) AS s WHERE s.place IS NULL) THEN
            RAISE EXCEPTION 'a broadcast is elsewhere' USING ERRCODE = 'OJ002';
        END IF;
    END IF;

    IF cardinality(channels) > 0 THEN
        SELECT array_agg(n.number ORDER BY f.message_key, n.place)
        INTO fits
        FROM unnest(channels) AS c
        CROSS JOIN LATERAL orloj.fit_of(
            c.engine, c.tenant, c.name, c.correlation_key, now_at
        ) AS f
        CROSS JOIN LATERAL (
            VALUES (1, f.message_key), (2, f.subscription_key), (3, f.instance_key)
        ) AS n (place, number);
    END IF;

    -- After all others, as in acquisitions: who holds the row of the node waits for nobody.
    IF lock_lowest IS NOT NULL THEN
        UPDATE orloj.node
        SET lock_floor = least(lock_floor, lock_lowest), taken_floor = lock_lowest
        WHERE session = of_session AND taken_floor > lock_lowest;
    END IF;
END
$$;
