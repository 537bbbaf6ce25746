# Dead letters: jobs that were given up, and what people do with them.

story "a job that keeps failing becomes a dead letter, with its failure"
  delegate A: fails "no line" 3 times
  process p, flowable:  start -> a{delegate A, async} -> end
  start p
  20s pass           | job a dead, job a has 0 retries, incident deadLetter at a saying "no line"
  1d passes          | nothing

story "a dead letter is tried again with new retries"
  delegate A: fails 4 times
  process p, flowable:  start -> a{delegate A, async} -> end
  start p
  20s pass                      | job a dead
  revive a with 2 retries       | job a due in 10s, job a has 1 retries, no incident
  10s pass                      | instance ended

story "only a dead letter is revived"
  engine executor off
  delegate A
  process p, flowable:  start -> a{delegate A, async} -> end
  start p                       | job a waits
  revive a with 2 retries       | rejected: job is ready
  bury a                        | job a dead
  revive a with 0 retries       | rejected: too few retries

story "a job is moved to the dead letters by hand"
  engine executor off
  delegate A
  process p, flowable:  start -> a{delegate A, async} -> end
  start p            | job a waits
  bury a             | job a dead, incident deadLetter at a
  executor starts    | A called 0 times
  revive a with 3 retries  | instance ended

story "a job that is moved to the dead letters keeps its failure"
  delegate A: fails "no line"
  process p, flowable:  start -> a{delegate A, async} -> end
  start p            | job a has 2 retries, job a due in 10s
  bury a             | job a dead, incident deadLetter at a saying "no line"

story "a timer is moved to the dead letters by hand"
  process p, flowable:  start -> wait{timer 10m} -> end
  start p            | job wait due in 10m
  bury wait          | job wait dead
  1h passes          | job wait dead
  bury wait          | rejected: job is failed
  revive wait with 3 retries  | instance ended

story "a dead letter is executed by hand"
  delegate A: fails 3 times
  process p, flowable:  start -> a{delegate A, async} -> end
  start p
  20s pass           | job a dead
  execute a          | instance ended

story "a dead letter is deleted and leaves its token"
  delegate A: fails 3 times
  process p, flowable:  start -> a{delegate A, async} -> end
  start p
  20s pass           | job a dead, incident at a
  delete job a       | job a gone, token at a, no incident
  cancel             | instance cancelled

story "a dead letter goes with its instance"
  delegate A: fails 3 times
  process p, flowable:  start -> a{delegate A, async} -> end
  start p
  20s pass           | job a dead
  cancel             | instance cancelled, job a gone

story "a dead letter outlives a restart"
  delegate A: fails "no line" 3 times
  process p, flowable:  start -> a{delegate A, async} -> end
  start p
  20s pass           | job a dead
  restart            | job a dead, incident deadLetter at a saying "no line"
  revive a with 1 retries  | instance ended

story "a failed job waits like a timer and is ready again when its wait is over"
  delegate A: fails
  process p, flowable:  start -> a{delegate A, async} -> end
  start p            | job a due in 10s, job a has 2 retries
  9s pass            | job a due in 1s, A called once
  1s passes          | instance ended, A called 2 times

story "a failed job is tried again before its time"
  delegate A: fails
  process p, flowable:  start -> a{delegate A, async} -> end
  start p            | job a due in 10s
  fire a             | instance ended

story "a timer is fired before its time"
  process p, flowable:  start -> wait{timer 10m} -> end
  start p            | job wait due in 10m
  fire wait          | instance ended

story "a failure that no try can mend makes a dead letter at once"
  delegate A: gives up "no such account"
  process p, flowable:  start -> a{delegate A, async} -> end
  start p            | job a dead, incident deadLetter at a saying "no such account", A called once
  revive a with 1 retries  | instance ended

story "a revived dead letter has as many tries as it is given, and dies again"
  delegate A: fails "no line" 5 times
  process p, flowable:  start -> a{delegate A, async} -> end
  start p
  20s pass                      | job a dead, A called 3 times, 1 incidents ever
  revive a with 2 retries       | job a due in 10s, job a has 1 retries, no incident
  10s pass                      | job a dead, A called 5 times, incident deadLetter at a saying "no line", 2 incidents ever

story "a revived dead letter begins with the tries of its cycle no more"
  delegate A: fails 4 times
  process p, flowable:  start -> a{delegate A, async, retry R2/PT7M} -> end
  start p                       | job a has 1 retries, job a due in 7m
  7m pass                       | job a dead
  revive a with 5 retries       | job a has 4 retries, job a due in 7m
  7m pass                       | job a has 3 retries

story "all dead letters are revived at once"
  delegate A: fails 6 times
  process p, flowable:  start -> a{delegate A, async} -> end
  start p as one
  start p as two
  20s pass                      | one: job a dead, two: job a dead
  start p as three              | three: instance ended
  revive all with 1 retries     | one: instance ended, two: instance ended

story "all dead letters are deleted at once, and live jobs are not"
  delegate A: fails 7 times
  process p, flowable:  start -> a{delegate A, async} -> end
  start p as one
  start p as two
  20s pass                      | one: job a dead, two: job a dead
  start p as three              | three: job a due in 10s
  delete all dead letters       | one: job a gone, two: job a gone, one: token at a, one: no incident
  10s pass                      | three: instance ended

story "a timer that keeps failing becomes a dead letter, and is revived"
  delegate A: fails "no line" 3 times
  process p, flowable:  start -> wait{timer 10m} -> a{delegate A} -> end
  start p            | job wait has 3 retries
  10m pass           | job wait has 2 retries, job wait due in 10s
  20s pass           | job wait dead, incident deadLetter at wait saying "no line", token at wait
  revive wait with 3 retries  | instance ended

story "a boundary timer that keeps failing leaves its task alone"
  delegate A: fails 3 times
  process p, flowable:  start -> ask{user} -> end
                        ask @timer(10m) -> a{delegate A} -> end late
  start p
  10m20s pass          | job ask_timer dead, task at ask
  user completes ask   | instance ended, job ask_timer gone

story "the dead letter of a worker goes back to the workers"
  process p, flowable:  start -> a{service mail} -> end
  start p
  worker anna takes mail                           | got mail
  worker anna fails mail leaving 0 retries "away"  | job mail dead, incident at a
  worker anna takes mail                           | got nothing
  revive mail with 2 retries                       | job mail waits, job mail has 2 retries, no incident
  worker ben takes mail                            | got mail
  worker ben completes mail                        | instance ended

story "a dead letter executed by hand that fails again stays one"
  delegate A: fails "no line" 4 times
  process p, flowable:  start -> a{delegate A, async} -> end
  start p
  20s pass           | job a dead
  execute a          | rejected: no line, job a dead, job a has 0 retries, incident at a
  execute a          | instance ended, no incident

story "a dead letter of Camunda is moved and brought back as well"
  engine executor off
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  start p                   | job a waits
  bury a                    | job a dead, incident failedJob at a
  executor starts           | A called 0 times
  revive a with 2 retries   | instance ended, no incident

story "a buried exclusive job holds up no other"
  engine executor off
  delegate A
  delegate B
  process p, flowable:  start -> f+ -> a{delegate A, async} -> end
                        f -> b{delegate B, async} -> end
  start p                   | job a waits, job b parked
  bury a                    | job a dead, job b waits
  revive a with 1 retries   | job a parked, job b waits
  executor starts           | instance ended, calls B A

story "dead letters of a called instance are told of above and gone when revived"
  delegate A: fails 3 times
  process p, flowable:  start -> sub{call child} -> end
  process child, flowable:  start -> a{delegate A, async} -> end
  start p
  20s pass                  | child: job a dead
  revive a with 1 retries   | p: instance ended

story "a dead letter that is revived in a suspended instance waits for that"
  delegate A: fails 3 times
  process p, flowable:  start -> a{delegate A, async} -> end
  start p
  20s pass                   | job a dead
  suspend                    | job a dead
  revive a with 2 retries    | job a suspended
  resume                     | instance ended

story "a dead timer that is revived keeps its repetition"
  delegate Nag: fails 3 times
  process p, flowable:  start -> ask{user} -> end
                        ask @timer(R3/PT10M, alongside) -> n{delegate Nag} -> end nagged
  start p
  10m pass         | Nag called once
  20s pass         | Nag called 3 times, job ask_timer dead
  revive ask_timer with 1 retries   | Nag called 4 times
  10m pass         | Nag called 5 times

story "dead letters of suspended instances that are revived with all others wait for their instances"
  delegate A: fails 6 times
  process p, flowable:  start -> a{delegate A, async} -> end
  start p as one
  start p as two
  20s pass                   | one: job a dead, two: job a dead
  suspend one
  revive all with 1 retries  | two: instance ended, one: job a suspended
  resume one                 | one: instance ended

story "exclusive jobs queue again when they are revived"
  delegate A: fails 6 times
  engine executor off
  process p, flowable:  start -> f+ -> a{delegate A, async} -> end
                        f -> b{delegate A, async} -> end
  start p              | job a waits, job b parked
  bury a               | job a dead, job b waits
  bury b               | job b dead
  revive b with 3 retries   | job b waits
  revive a with 3 retries   | job a parked, job b waits

story "a dead letter keeps its priority, and gets the overriding one"
  engine executor off
  delegate A
  process p, camunda:  start -> a{delegate A, async, priority 44} -> end
  start p
  bury a                    | job a dead, job a has priority 44
  override a to 45 with jobs | job a has priority 45
  revive a with 3 retries   | job a waits, job a has priority 45, job a has 3 retries

story "a failure that no try can mend makes a dead letter of a timer, which may be deleted"
  delegate A: gives up "broken"
  process p, flowable:  start -> wait{timer 10m} -> a{delegate A} -> end
  start p
  10m pass         | job wait dead, incident deadLetter at wait saying "broken"
  delete job wait  | job wait gone, token at wait

story "a dead letter executed by hand passes the exclusive jobs of its instance"
  engine executor off
  delegate A
  process p, flowable:  start -> f+ -> a{delegate A, async} -> end
                        f -> b{delegate A, async} -> end
  start p           | job a waits, job b parked
  bury b            | job b dead
  execute b         | job b gone, job a waits
  executor starts   | instance ended

story "dead letters that are revived at once have the retries they are given, timers too"
  engine executor off
  delegate A
  process p, flowable:  start -> f+ -> a{delegate A, async nonexclusive} -> end
                        f -> w{timer 1h} -> end
  start p
  bury a
  bury w            | job a dead, job w dead
  revive all with 5 retries   | job a waits, job a has 5 retries, job w has 5 retries

story "a job in its wait is executed by hand"
  delegate A: fails
  process p, flowable:  start -> a{delegate A, async} -> end
  start p          | job a due in 10s
  execute a        | instance ended

story "fewer retries than none are refused"
  engine executor off
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  start p
  retries a -5            | rejected, job a has 3 retries
  bury a
  revive a with -1 retries | rejected, job a dead

story "a dead letter is not buried again"
  engine executor off
  delegate A
  process p, flowable:  start -> a{delegate A, async} -> end
  start p          | job a waits
  bury a           | job a dead
  bury a           | rejected

story "Flowable's dead letter executed by hand that fails stays one, and goes when it is revived"
  delegate A: fails 3 times
  process p, flowable:  start -> a{delegate A, async, retry R1/PT1S} -> end
  start p        | job a dead, A called once
  execute a      | rejected, job a dead, A called 2 times
  revive a with 1 retries | job a dead, A called 3 times
  revive a with 1 retries | instance ended

story "Flowable's job moved to the dead letters and back begins anew with the retries it is given"
  engine executor off
  delegate A: fails 2 times
  process p, flowable:  start -> a{delegate A, async} -> end
  start p        | job a has 3 retries
  bury a         | job a dead
  revive a with 2 retries | job a waits, job a has 2 retries
  execute a      | rejected, job a has 1 retries

story "a job for workers is not moved to the dead letters by hand, but dies with its retries"
  engine executor off
  process p, flowable:  start -> charge{service charge} -> end
  start p            | job charge waits
  bury charge        | rejected: job is for workers
  look               | job charge waits, job charge has 3 retries
  retries charge 0   | job charge dead

story "the timer of an event subprocess is a job like others"
  process p, flowable:  start -> ask{user} -> end
                        event late: start{timer 10m} -> x{user} -> end
  start p                            | job late_start due in 10m
  bury late_start                    | job late_start dead
  revive late_start with 1 retries   | task at x
