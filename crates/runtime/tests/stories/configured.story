# What a configuration says of models that say nothing, or of all.

story "the engine's own cycle may be an expression, which is computed at each failure"
  engine failedJobRetryTimeCycle = "${cycle}"
  delegate Charge: fails 3 times
  process p, camunda:  start -> pay{delegate Charge, async} -> end
  start p {"cycle": "R4/PT1M"}      | job pay has 3 retries, job pay due in 1m
  set {"cycle": "R4/PT2M"}
  1m passes                         | job pay has 2 retries, job pay due in 2m

story "an error nobody catches fails the job where the configuration wants it so"
  engine enableExceptionsAfterUnhandledBpmnError = true
  delegate Charge: throws ODD 9 times
  process p, camunda:  start -> pay{delegate Charge, async, retry R2/PT1M} -> end
  start p        | token at pay, job pay has 1 retries, job pay due in 1m
  1m passes      | job pay dead, incident failedJob at pay

story "an error nobody catches ends the path otherwise"
  delegate Charge: throws ODD 9 times
  process p, camunda:  start -> pay{delegate Charge, async} -> end
  start p        | instance ended, Charge called once

story "a worker's error that nobody catches is refused where the configuration wants it so"
  engine enableExceptionsAfterUnhandledBpmnError = true
  process p, camunda:  start -> pay{service charge} -> end
  start p
  worker anna throws ODD on charge  | rejected
  look                              | token at pay

story "parallel instances are looked after by jobs in Flowable"
  engine executor off
  process p, flowable:  start -> pick{user, each items as item} -> end
  start p {"items": [1, 2, 3]}
  user completes pick                   | 1 jobs pick

story "unless the configuration wants none"
  engine parallelMultiInstanceAsyncLeave = false, executor off
  process p, flowable:  start -> pick{user, each items as item} -> end
  start p {"items": [1, 2, 3]}
  user completes pick                   | 0 jobs pick
  user completes pick
  user completes pick                   | instance ended

story "timers are made ready so many at a time, and all of them"
  engine chapter profile
  process p, flowable:  start -> f+ -> a{timer 10s} -> end
                        f -> b{timer 10s} -> end
                        f -> c{timer 10s} -> end
  start p        | token at a, token at b, token at c
  10s pass       | instance ended

story "rows that are written one by one are the same: paths that meet, and an exclusive job"
  engine bulkInsertEnabled = false
  delegate A: fails 1 times
  process p, flowable:  start -> f+ -> a{delegate A, async} -> j+ -> end
                        f -> b{user} -> j
                        f -> c{service pack} -> j
  start p {"n": 1, "who": "anna"}   | job a due in 10s, token at b, job pack waits
  user completes b {"n": 2}         | token at j
  worker anna completes pack        | variable n = 2
  10s pass                          | instance ended, A called 2 times

story "rows that are written one by one are the same: messages, timers and a call"
  engine bulkInsertEnabled = false
  process p:  start -> ask{message paid, key order} -> sub{call q} -> end
  process q:  start -> wait{timer 10s} -> work{service pack} -> end
  start p {"order": "o-1"}          | token at ask
  publish paid key "o-1" {"sum": 3} | token at sub, variable sum = 3
  10s pass
  worker anna completes pack        | instance ended
