# Instances: starting, cancelling, many at once.

story "an instance that never waits is over when its start is answered"
  process instant:  start -> end
  start instant {"a": 1}   | instance ended at end, variables {"a": 1}

story "a cancelled instance takes everything with it"
  process order:  start -> fork+ -> pay{service charge} -> end
                  fork -> ask{user} -> end
                  fork -> nap{timer 1h} -> end
                  pay @timer(1d) -> end late
  start order                      | job charge waits, task at ask, job nap due in 1h
  worker anna takes charge
  cancel                           | instance cancelled, job charge gone, no task at ask, job nap gone, job pay_timer gone
  worker anna completes charge     | rejected: job not found
  cancel                           | rejected: instance not found
  2d pass                          | nothing

story "instances do not disturb one another"
  process order:  start -> pay{service charge} -> end paid
  start order as a {"n": 1}
  start order as b {"n": 2}
  worker anna completes charge of b   | b: instance ended at paid, a: instance lives, a: job charge waits
  cancel a                            | a: instance cancelled, b: instance ended at paid

story "everything goes on after a restart"
  process order, camunda:  start -> fork+ -> pay{service charge} -> join+ -> end
                           fork -> ask{user} -> join
                           ask @timer(R/PT1H, alongside) -> nag{service mail} -> end
  start order {"total": 1}
  worker anna takes charge for 10m
  restart                           | job charge locked by anna, task at ask, job ask_timer due in 1h
  1h passes                         | job charge waits, 1 jobs mail
  worker anna completes charge      | token at join
  restart
  user completes ask {"ok": true}   | job ask_timer gone, instance lives
  worker anna completes mail        | instance ended, variables {"ok": true, "total": 1}
