SELECT * FROM orloj.user_task WHERE key = $1
