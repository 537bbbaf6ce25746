SELECT *
FROM orloj.any_job
WHERE engine = $1
    AND ($2::bigint IS NULL OR key < $2)
    AND ($5::bigint[] IS NULL OR key = ANY ($5))
    AND ($6::bigint IS NULL OR instance_key = $6)
    AND ($7::bigint IS NULL OR definition_key = $7)
    AND ($8::text IS NULL OR definition_key IN (
        SELECT d.key FROM orloj.definition AS d WHERE d.engine = $1 AND d.process_id = $8
    ))
    AND ($9::text IS NULL OR tenant = $9)
    AND ($10::text IS NULL OR element_id = $10)
    AND ($11::text IS NULL OR failed_element = $11)
    AND ($12::smallint[] IS NULL OR kind = ANY ($12))
    AND ($13::smallint[] IS NULL OR state = ANY ($13))
    AND ($14::text IS NULL OR type = $14)
    AND ($15::text IS NULL OR topic = $15)
    AND ($16::text IS NULL OR category = $16)
    AND ($17::bigint IS NULL OR batch_key = $17)
    AND ($18::bigint IS NULL OR due_at < $18)
    AND ($19::bigint IS NULL OR due_at > $19)
    AND ($20::bigint IS NULL OR created_at < $20)
    AND ($21::bigint IS NULL OR created_at > $21)
    AND ($22::boolean IS NULL OR (failure IS NOT NULL) = $22)
    AND ($23::text IS NULL OR failure = $23)
    AND ($24::boolean IS NULL OR (retries_left > 0) = $24)
    AND ($25::bigint IS NULL OR priority >= $25)
    AND ($26::bigint IS NULL OR priority <= $26)
    AND ($27::boolean IS NULL OR (lock_session IS NOT NULL OR lock_until IS NOT NULL) = $27)
    AND ($28::text IS NULL OR lock_worker = $28)
    AND ($29::bigint IS NULL OR lock_session = $29)
    -- Executable: ready, waiting or parked, with retries, and due.
    AND ($30::bigint IS NULL
        OR (state <= 2 AND retries_left > 0 AND (due_at IS NULL OR due_at <= $30)))
    AND ($31::text IS NULL OR limit_key = $31)
ORDER BY key DESC
LIMIT $3 OFFSET $4
