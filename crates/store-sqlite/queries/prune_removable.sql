SELECT key
FROM ended INDEXED BY ended_removal
WHERE removal_at IS NOT NULL AND removal_at <= ?2 AND engine = ?1
    AND removal_at / 60000 % 60 BETWEEN ?3 AND ?4
ORDER BY removal_at
LIMIT ?5
