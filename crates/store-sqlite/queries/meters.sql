SELECT
    -- An interval starts at a multiple of its length, also before 1970.
    CASE
        WHEN ?6 IS NULL THEN 0
        ELSE at - ((at % ?6) + ?6) % ?6
    END AS start,
    name,
    iif(?7, reporter, NULL) AS reporter,
    sum(value)
FROM meter
WHERE engine = ?1
    AND (?2 IS NULL OR name = ?2)
    AND (?3 IS NULL OR reporter = ?3)
    AND (?4 IS NULL OR at >= ?4)
    AND (?5 IS NULL OR at < ?5)
GROUP BY 1, 2, 3
ORDER BY 1 DESC, 2, 3
LIMIT ?8
