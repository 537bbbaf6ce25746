SELECT version FROM orloj.settings WHERE engine = $1
