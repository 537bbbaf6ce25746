UPDATE start_event SET due_at = ?4, repeat = ?5, anchor_at = ?6, fired = ?7
WHERE definition_key = ?1 AND event_id = ?2 AND fired = ?3
