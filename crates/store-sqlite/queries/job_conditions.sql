-- Of a listing. A condition on a parameter that may be absent is not looked for in an index.
WHERE key <= ?1
    AND engine = ?2
    AND (?5 IS NULL OR key IN (SELECT value FROM json_each(?5)))
    AND (?6 IS NULL OR instance_key = ?6)
    AND (?7 IS NULL OR definition_key = ?7)
    AND (
        ?8 IS NULL
        OR definition_key IN (SELECT key FROM definition WHERE engine = ?2 AND process_id = ?8)
    )
    AND (?9 IS NULL OR tenant = ?9)
    AND (?10 IS NULL OR element_id = ?10)
    AND (?11 IS NULL OR failed_element = ?11)
    AND (?12 IS NULL OR kind IN (SELECT value FROM json_each(?12)))
    AND (?13 IS NULL OR state IN (SELECT value FROM json_each(?13)))
    AND (?14 IS NULL OR type = ?14)
    AND (?15 IS NULL OR topic = ?15)
    AND (?16 IS NULL OR category = ?16)
    AND (?17 IS NULL OR batch_key = ?17)
    AND (?18 IS NULL OR due_at < ?18)
    AND (?19 IS NULL OR due_at > ?19)
    AND (?20 IS NULL OR created_at < ?20)
    AND (?21 IS NULL OR created_at > ?21)
    AND (?22 IS NULL OR (failure IS NOT NULL) = ?22)
    AND (?23 IS NULL OR failure = ?23)
    AND (?24 IS NULL OR (retries_left > 0) = ?24)
    AND (?25 IS NULL OR priority >= ?25)
    AND (?26 IS NULL OR priority <= ?26)
    AND (?27 IS NULL OR (lock_session IS NOT NULL OR lock_until IS NOT NULL) = ?27)
    AND (?28 IS NULL OR lock_worker = ?28)
    AND (?29 IS NULL OR lock_session = ?29)
    -- Executable: ready, waiting or parked, with retries, and due.
    AND (
        ?30 IS NULL
        OR (state <= 2 AND retries_left > 0 AND (due_at IS NULL OR due_at <= ?30))
    )
    AND (?31 IS NULL OR limit_key = ?31)
