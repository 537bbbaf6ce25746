SELECT number, session FROM node ORDER BY number
