UPDATE job_definition
SET suspended = coalesce(?2, suspended), priority = iif(?3, ?4, priority)
WHERE key = ?1
