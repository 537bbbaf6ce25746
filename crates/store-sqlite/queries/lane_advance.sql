UPDATE lane SET group_id = ?3 WHERE session = ?1 AND lane = ?2
