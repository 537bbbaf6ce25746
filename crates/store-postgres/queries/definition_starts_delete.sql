DELETE FROM orloj.start_event WHERE definition_key = $1
