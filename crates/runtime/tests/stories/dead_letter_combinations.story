# Combinations of dead letters, retries, suspension, exclusivity, categories and deployments.

story "a dead timer that is revived before its due date fires at once"
  process p, flowable:  start -> wait{timer 1h} -> ask{user} -> end
  start p            | job wait due in 1h
  bury wait          | job wait dead, incident deadLetter at wait
  revive wait with 3 retries | task at ask, no incident

story "a dead boundary timer goes with its task, and is not revived any more"
  process p, flowable:  start -> ask{user} -> then{user} -> end
                        ask @timer(10m) -> end late
  start p
  bury ask_timer       | job ask_timer dead, incident at ask_timer
  1h passes            | task at ask
  user completes ask   | task at then, job ask_timer gone, no incident
  revive ask_timer with 1 retries | rejected

story "dead letters of single items are revived, and their multi-instance ends"
  engine retries 1
  delegate A: fails 3 times
  process p, flowable:  start -> a{delegate A, async, each items as item} -> b{user} -> end
  start p {"items": [1, 2, 3, 4]} | 3 jobs a, each job a dead, A called 4 times
  revive all with 1 retries       | task at b, A called 7 times, no incident

story "one by one the dead letter of an item holds up those that follow"
  delegate A: succeeds, fails 3 times
  process p, flowable:  start -> a{delegate A, async, each items as item, one by one} -> b{user} -> end
  start p {"items": [1, 2, 3]} | A called 2 times, job a due in 10s
  20s pass                     | job a dead, 1 jobs a, A called 4 times
  revive a with 1 retries      | task at b, A called 6 times

story "the dead letter of a worker is not executed by hand"
  process p, flowable:  start -> a{service mail} -> end
  start p
  worker anna takes mail                           | got mail
  worker anna fails mail leaving 0 retries "away"  | job mail dead
  execute mail                                     | rejected, job mail dead

story "what a worker has brought is there when the job that applies it is revived"
  delegate B: fails 3 times
  process p, flowable:  start -> a{service mail} -> b{delegate B} -> ask{user} -> end
  start p
  worker anna takes mail               | got mail
  worker anna completes mail {"n": 5}  | job mail gone, job a has 2 retries, job a due in 10s, token at a
  20s pass                             | job a dead, incident deadLetter at a
  revive a with 1 retries              | task at ask, variable n = 5, B called 4 times

story "an error of a worker that nobody catches makes a dead letter of the job that brings it"
  process p, flowable:  start -> a{service mail} -> end
  start p
  worker anna takes mail
  worker anna throws ODD on mail  | job mail gone, job a has 2 retries, job a due in 10s
  20s pass                        | job a dead, incident deadLetter at a, token at a

story "a job that was buried before it ever failed begins its cycle with its first failure"
  engine executor off
  delegate A: fails 9 times
  process p, flowable:  start -> a{delegate A, async, retry R2/PT7M} -> end
  start p                      | job a has 3 retries
  bury a                       | job a dead
  revive a with 9 retries      | job a has 9 retries
  executor starts              | job a has 1 retries, job a due in 7m

story "dead letters of a called instance go when its caller is interrupted"
  delegate A: fails 3 times
  process p, flowable:      start -> sub{call child} -> end
                            sub @timer(1m) -> end late
  process child, flowable:  start -> a{delegate A, async} -> end
  start p as p
  20s pass     | child: job a dead
  40s pass     | p: instance ended at late, child: instance cancelled, child: job a gone

story "dead letters of all dialects are revived at once"
  delegate A: fails 2 times
  process p, flowable:  start -> a{delegate A, async, retry R1/PT1S} -> end
  process q, camunda:   start -> a{delegate A, async, retry R1/PT1S} -> end
  process r:            start -> a{service pay} -> end
  start p as p | p: job a dead
  start q as q | q: job a dead
  start r as r
  worker w takes pay
  worker w fails pay leaving 0 retries "x" | r: job pay dead
  revive all with 1 retries   | p: instance ended, q: instance ended, r: job pay waits, r: job pay has 1 retries, r: no incident

story "a parked job is buried, and queues again when it is revived"
  engine executor off
  delegate A
  process p, flowable:  start -> f+ -> a{delegate A, async} -> end
                        f -> b{delegate A, async} -> end
                        f -> c{delegate A, async} -> end
  start p           | job a waits, job b parked, job c parked
  bury b            | job b dead, job a waits, job c parked
  execute a         | job c waits, job b dead
  revive b with 1 retries | job b parked
  execute c         | job b waits

story "dead letters in a subprocess go when an error leaves it"
  delegate A: fails 3 times
  process p, flowable:  start -> sub{subprocess} -> end
                        in sub: start -> f+ -> a{delegate A, async} -> end
                        in sub: f -> ask{user} -> end bad{error E}
                        sub @error(E) -> ask2{user} -> end
  start p
  20s pass           | job a dead
  user completes ask | task at ask2, job a gone, no incident

story "the dead timer after an event-based gateway leaves it to the message"
  process p, flowable:  start -> w! -> t{timer 10m} -> end late
                        w -> m{message paid} -> ask{user} -> end
  start p
  bury t          | job t dead
  1h passes       | instance lives
  correlate paid  | task at ask, job t gone, no incident

story "a dead letter among the workers of a multi-instance holds up its end"
  process p, flowable:  start -> a{service mail, each items as item} -> ask{user} -> end
  start p {"items": [1, 2, 3]}  | 3 jobs mail
  worker w takes mail
  worker w fails mail leaving 0 retries "x"
  worker v takes mail
  worker v completes mail
  worker u takes mail
  worker u completes mail | 1 jobs mail, job mail dead, no task at ask
  revive mail with 1 retries | job mail waits
  worker t takes mail
  worker t completes mail | task at ask

story "the dead letter of a called instance is revived although its caller is suspended"
  delegate A: fails 3 times
  process p, flowable:      start -> sub{call child} -> b{delegate A, async} -> end
  process child, flowable:  start -> a{delegate A, async} -> end
  start p as p
  20s pass   | child: job a dead
  suspend p
  revive a with 1 retries | child: instance ended, p: job b suspended
  resume p   | p: instance ended

story "a dead letter migrates with its instance, and is revived in the new process"
  delegate A: fails 3 times
  delegate B
  process p, flowable:  start -> a{delegate A, async} -> end
  process q, flowable:  start -> b{delegate B, async} -> end
  start p
  20s pass   | job a dead
  migrate to q a=b
  look       | token at b
  revive all with 1 retries | instance ended, B called once

story "the error of a worker is caught although its first delivery fails"
  delegate A: fails
  process p, flowable:  start -> a{service mail} -> end
                        a @error(POOR) -> b{delegate A} -> end poor
  start p
  worker w takes mail
  worker w throws POOR on mail | job a due in 10s, token at a
  10s pass   | instance ended at poor

story "over hierarchies a buried job of the caller lets the called instance go, also after a restart"
  engine executor off, exclusive over hierarchies
  delegate A
  delegate B
  process p, flowable:      start -> f+ -> sub{call child} -> end
                            f -> a{delegate A, async} -> end
  process child, flowable:  start -> b{delegate B, async} -> end
  start p as p     | p: job a waits, child: job b parked
  bury a           | p: job a dead, child: job b waits
  restart with executor off, exclusive over hierarchies
  revive a with 2 retries | p: job a parked, child: job b waits
  executor starts  | p: instance ended, calls B A

story "the job that applies what a worker brings has the cycle of its task"
  delegate B: fails 9 times
  process p, flowable:  start -> a{service mail, retry R5/PT7M} -> b{delegate B} -> end
  start p   | job mail has 3 retries
  worker w takes mail
  worker w completes mail | job a has 4 retries, job a due in 7m

story "the job of a worker in its wait is there at once when its instance of Flowable is activated"
  process p, flowable:  start -> a{service mail} -> end
  start p
  worker w takes mail
  worker w fails mail leaving 2 retries waiting 10m | job mail due in 10m
  suspend          | job mail suspended
  resume           | job mail waits, job mail has 2 retries
  worker w takes mail | got mail

story "a failed timer of Flowable waits on when its instance is activated"
  delegate A: fails
  process p, flowable:  start -> w{timer 1m} -> a{delegate A} -> end
  start p
  1m passes  | job w has 2 retries, job w due in 10s
  suspend    | job w suspended
  4s pass
  resume     | job w due in 6s, job w has 2 retries
  6s pass    | instance ended

story "a suspended instance with a dead letter, a retry, a timer and a worker is activated after a restart"
  delegate A: fails 3 times
  delegate B: fails 1 times
  process p, flowable:  start -> f+ -> a{delegate A, async, retry R1/PT1S} -> end
                        f -> b{delegate B, async, retry R2/PT1H} -> end
                        f -> w{timer 1h} -> end
                        f -> m{service mail} -> end
  start p      | job a dead, job b due in 1h, job w due in 1h, job mail waits
  suspend      | job a dead, job b suspended, job w suspended, job mail suspended
  restart      | job a dead, job b suspended, job w suspended, job mail suspended
  resume       | job a dead, job b gone, job w due in 1h, job mail waits

story "timers of Flowable are exclusive whatever the model says"
  engine executor off
  process p, flowable:  start -> f+ -> a{timer 10s, nonexclusive} -> end
                        f -> b{timer 10s, nonexclusive} -> end
  start p
  fire a   | job a waits
  fire b   | job b parked

story "a revived dead letter goes to the node of its category, and what follows to the other"
  engine categories red
  node b categories blue
  delegate A: fails 2 times
  process p, flowable:  start -> a{delegate A, async, category blue, retry R1/PT1S} -> b{delegate A, async, category red} -> end
  start p    | job a dead, b ran A
  revive all with 2 retries | job a has 1 retries, b ran A A, story ran
  1s passes  | instance ended, b ran A A A, story ran A

story "what a worker brings waits until the deployment is registered"
  engine deployment aware
  process p, flowable:  start -> a{service mail} -> end
  start p
  unregister p
  worker w takes mail      | got mail
  worker w completes mail  | job a waits, token at a
  register p               | instance ended
