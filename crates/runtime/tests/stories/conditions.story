# Conditional events: they occur when a variable changes.

story "a condition that holds at once is not waited for, another waits for its variable"
  process order, camunda:  start -> wait{condition paid} -> end
  start order as a {"paid": true}    | a: instance ended
  start order as b {"paid": false}   | b: token at wait
  set {"other": 1} of b              | b: token at wait
  restart
  set {"paid": true} of b            | b: instance ended

story "a boundary event on a condition"
  process order, camunda:  start -> work{user} -> end done
                           work @condition(total > 100, alongside) as much -> tell{user} -> end told
                           work @condition(stopped) as stop -> end stopped
  start order {"total": 1, "stopped": false}  | task at work, no task at tell
  set {"total": 101}                          | task at work, task at tell
  restart
  set {"stopped": true}                       | no task at work, task at tell
  user completes tell                         | instance ended

story "an event subprocess on a condition ends its scope"
  process order, camunda:  start -> work{user} -> end done
                           event stop: start{condition stopped} -> why{user} -> end
  start order {"stopped": false}   | task at work
  set {"stopped": true}            | no task at work, task at why
  user completes why               | instance ended

story "a condition may race with a timer"
  process order, camunda:  start -> wait! -> paid{condition paid} -> end happy
                           wait -> late{timer 1h} -> end sad
  start order as a {"paid": false}   | a: token at wait
  start order as b {"paid": false}
  set {"paid": true} of a            | a: instance ended at happy
  1h passes                          | b: instance ended at sad

story "a condition at a loop hears how many of it are done"
  process order, camunda:  start -> work{user, each items as item} -> end done
                           work @condition(nrOfCompletedInstances == 1) as enough -> tell{user} -> end told
  start order {"items": [1, 2, 3]}   | task at work, no task at tell
  restart
  user completes work                | no task at work, task at tell
  user completes tell                | instance ended at told

story "Flowable asks conditions when a client wants it"
  process order, flowable:  start -> work{user} -> end done
                            work @condition(total > 100, alongside) as much -> tell{user} -> end told
                            event stop: start{condition stopped} -> why{user} -> end
  start order {"total": 1, "stopped": false}  | task at work, no task at tell
  set {"total": 101}                          | no task at tell
  restart
  ask conditions                              | task at work, task at tell, no task at why
  ask conditions {"stopped": true}            | no task at work, task at why
  user completes why                          | instance ended

story "conditions that hear by themselves are not asked, nor are those of a suspended instance"
  process order, camunda:   start -> wait{condition paid} -> end
  process later, flowable:  start -> wait2{condition paid} -> end
  start order as a {"paid": false}
  ask conditions of a                | rejected: conditions hear by themselves
  start later as b {"paid": false}
  suspend b
  ask conditions of b {"paid": true} | rejected: suspended
  resume b
  ask conditions of b {"paid": true} | b: instance ended
