-- The part of a group that is about chores, with what happened to them. The row of the node comes
-- last, so all this is written before the rest.
CREATE OR REPLACE PROCEDURE orloj.commit_chores_with_log(
    of_session bigint,
    chores_written orloj.chore_step[],
    chores_inserted orloj.job_in[],
    batches_inserted orloj.batch_in[],
    batches_written orloj.batch_step[],
    batches_gone orloj.batch_gone[],
    operations_added orloj.operation_in[],
    incidents_annotated orloj.incident_note[],
    job_definitions_added orloj.job_definition_in[],
    incidents_opened orloj.incident_in[],
    log_added orloj.chore_log_in[],
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
BEGIN
    IF cardinality(incidents_opened) > 0 THEN
        INSERT INTO orloj.incident
            (key, engine, tenant, instance_key, definition_key, element_instance_key, element_id,
            job_key, kind, message, created_at, cause_key, root_cause_key, configuration,
            annotation)
        SELECT
            r.key, r.engine, r.tenant, r.instance_key, r.definition_key, r.element_instance_key,
            r.element_id, r.job_key, r.kind, r.message, r.created_at, r.cause_key,
            r.root_cause_key, r.configuration, r.annotation
        FROM unnest(incidents_opened) AS r
        -- The incident about a chore has its number: there is one at most.
        ON CONFLICT (key) DO NOTHING;
    END IF;
    IF cardinality(log_added) > 0 THEN
        INSERT INTO orloj.chore_log
            (job_key, engine, tenant, definition_key, element_id, kind, batch_key, event, at,
            retries, priority, due_at, message, details, failed_element, incident, run_by)
        SELECT
            r.job_key, r.engine, r.tenant, r.definition_key, r.element_id, r.kind, r.batch_key,
            r.event, r.at, r.retries, r.priority, r.due_at, r.message, r.details,
            r.failed_element, r.incident, r.run_by
        FROM unnest(log_added) AS r;
    END IF;
    CALL orloj.commit_chores(
        of_session, chores_written, chores_inserted, batches_inserted, batches_written,
        batches_gone, operations_added, incidents_annotated, job_definitions_added, lock_lowest
    );
END
$$;
