-- A group that writes pages. Whoever writes a page has locked the row of its instance before, so
-- nobody waits for one.
CREATE OR REPLACE PROCEDURE orloj.commit_group_with_pages(
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
    pages_cleared bigint[],
    pages_deleted orloj.page_gone[],
    pages_put orloj.page_in[],
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
BEGIN
    CALL orloj.commit_group_with_events(
        of_session, of_lane, id, of_epoch, laid, instances_updated, instances_deleted, instances_inserted,
        jobs_deleted, jobs_updated, jobs_inserted, variables_cleared, variables_deleted,
        variables_put, user_tasks_deleted, user_tasks_inserted, incidents_deleted,
        incidents_inserted, history_added, ended_added, lock_lowest, channels, called_added,
        subscriptions_deleted, subscriptions_inserted, messages_taken, messages_deleted,
        messages_inserted, broadcasts_inserted, broadcasts_moved, rows_migrated, now_at, fits
    );

    IF cardinality(pages_cleared) > 0 THEN
        DELETE FROM orloj.instance_page AS p
        USING unnest(pages_cleared) AS g (key)
        WHERE p.instance_key = g.key;
    END IF;
    IF cardinality(pages_deleted) > 0 THEN
        DELETE FROM orloj.instance_page AS p
        USING unnest(pages_deleted) AS g
        WHERE p.instance_key = g.instance_key
            AND p.kind = g.kind
            AND p.first_key = g.first_key;
    END IF;
    IF cardinality(pages_put) > 0 THEN
        INSERT INTO orloj.instance_page (instance_key, kind, first_key, engine, tenant, bytes)
        SELECT r.instance_key, r.kind, r.first_key, r.engine, r.tenant, r.bytes
        FROM unnest(pages_put) AS r
        ON CONFLICT (instance_key, kind, first_key) DO UPDATE SET bytes = excluded.bytes;
    END IF;
END
$$;
