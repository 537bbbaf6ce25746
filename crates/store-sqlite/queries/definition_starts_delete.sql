DELETE FROM start_event WHERE definition_key = ?1
