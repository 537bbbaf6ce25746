DELETE FROM node WHERE session = ?1
