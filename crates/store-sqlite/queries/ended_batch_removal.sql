UPDATE ended_batch SET removal_at = ?3 WHERE key = ?1 AND engine = ?2
