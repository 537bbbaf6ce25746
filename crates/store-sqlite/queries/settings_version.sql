SELECT version FROM settings WHERE engine = ?1
