UPDATE node SET lock_floor = min(lock_floor, ?2) WHERE session = ?1
