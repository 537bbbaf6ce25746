DELETE FROM lane WHERE session = ?1
