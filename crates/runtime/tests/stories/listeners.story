# Listeners: code and jobs around an element.

story "code listens to the start and the end of an element"
  delegate Before: succeeds {"before": 1}
  delegate After: succeeds {"after": 2}
  process c, camunda:   start -> ask{user, on start Before, on end After} -> more{user} -> end
  process f, flowable:  start -> ask{user, on start Before, on end After} -> more{user} -> end
  start c                   | c: task at ask, calls Before
  user completes ask of c   | c: task at more, calls Before After, c: variables {"before": 1, "after": 2}
  start f                   | f: task at ask, calls Before After Before
  user completes ask of f   | f: task at more, calls Before After Before After

story "code listens to a user task"
  delegate Created
  delegate Assigned
  delegate Done
  process c, camunda:   start -> ask{user, assignee kim, on create Created, on assign Assigned, on complete Done} -> end
  process f, flowable:  start -> ask{user, assignee kim, on create Created, on assign Assigned, on complete Done} -> end
  start c                   | calls Created Assigned
  user completes ask of c   | calls Created Assigned Done, c: instance ended
  start f                   | calls Created Assigned Done Assigned Created
  user completes ask of f   | f: instance ended, Done called 2 times

story "a listener that fails undoes the step"
  delegate Before: fails "no"
  process c, camunda:  start -> work{user} -> ask{user, on start Before} -> end
  start c                | task at work
  user completes work    | rejected, task at work
  restart
  user completes work    | task at ask, Before called 2 times

story "in Zeebe listeners are jobs, and the element waits for them"
  process order:  start -> pay{service charge, on start before, on end after} -> end
  start order                  | job before waits, token at pay
  worker w completes before    | job charge waits
  restart
  worker w completes charge    | job after waits
  worker w completes after     | instance ended

story "in Zeebe a task is there when its listeners are done"
  process order:  start -> ask{user, on create hello, on complete bye} -> end
  start order                  | job hello waits, no task at ask
  worker w completes hello     | task at ask
  user completes ask           | job bye waits, instance lives
  worker w completes bye       | instance ended

story "a listener whose job fails for good is an incident"
  process order:  start -> pay{service charge, on start before} -> end
  start order
  worker w fails before leaving 0 retries | incident EXECUTION_LISTENER_NO_RETRIES at pay
  give before 1 retries
  resolve pay                            | no incident, job before waits
  worker w completes before              | job charge waits
