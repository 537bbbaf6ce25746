UPDATE node SET profile = ?2 WHERE session = ?1
