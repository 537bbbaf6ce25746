-- What is old is found by its age, so that a clean-up reads what it removes and little more.

CREATE INDEX ended_age ON orloj.ended (engine, definition_key, ended_at);
CREATE INDEX operation_age ON orloj.operation (engine, at);
CREATE INDEX meter_age ON orloj.meter (engine, at);
CREATE INDEX ended_batch_age ON orloj.ended_batch (engine, ended_at);
CREATE INDEX ended_batch_removal ON orloj.ended_batch (engine, removal_at)
    WHERE removal_at IS NOT NULL;

-- What is told of a batch goes with it.
CREATE INDEX chore_log_batch ON orloj.chore_log (batch_key, number) WHERE batch_key IS NOT NULL;
