-- Start timers of earlier versions of a process go, also while they are run.
WITH old AS (
    SELECT key
    FROM orloj.job
    WHERE instance_key = 0 AND kind = 7
        AND definition_key IN (
            SELECT d.key
            FROM orloj.definition AS d
            WHERE d.engine = $1 AND d.tenant = $2 AND d.process_id = ANY ($3)
        )
    ORDER BY key
    FOR UPDATE
)
DELETE FROM orloj.job AS j USING old WHERE j.key = old.key RETURNING j.*
