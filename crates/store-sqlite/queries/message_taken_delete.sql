DELETE FROM message_taken WHERE message_key = ?1
