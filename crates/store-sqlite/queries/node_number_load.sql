SELECT key_high FROM node_number WHERE number = ?1
