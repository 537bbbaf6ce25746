SELECT *
FROM orloj.definition AS d
WHERE engine = $1 AND NOT deleted AND ($2::bigint IS NULL OR key < $2)
    AND ($4::text IS NULL OR process_id = $4)
    AND ($5::text IS NULL OR tenant = $5)
    AND ($6::integer IS NULL OR version = $6)
    AND ($7::bigint IS NULL OR deployment_key = $7)
    AND ($8::boolean IS NULL OR suspended = $8)
    AND (
        NOT $9
        OR NOT EXISTS (
            SELECT FROM orloj.definition AS later
            WHERE later.engine = d.engine
                AND later.tenant = d.tenant
                AND later.process_id = d.process_id
                AND later.version > d.version
                AND NOT later.deleted
        )
    )
ORDER BY key DESC
LIMIT $3
