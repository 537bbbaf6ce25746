DELETE FROM ended WHERE key = ?1
