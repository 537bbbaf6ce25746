-- Its start timers go, also while they are run.
DELETE FROM orloj.job WHERE instance_key = 0 AND kind = 7 AND definition_key = $1 RETURNING *
