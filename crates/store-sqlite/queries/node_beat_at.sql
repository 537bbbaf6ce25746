SELECT beat FROM node WHERE session = ?1
