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
