SELECT group_id FROM lane WHERE session = ?1 AND lane = ?2
