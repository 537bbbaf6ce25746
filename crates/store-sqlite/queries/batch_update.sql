UPDATE batch
SET parts_made = coalesce(?2, parts_made), config = coalesce(?3, config),
    suspended = coalesce(?4, suspended), started_at = coalesce(started_at, ?5)
WHERE key = ?1
