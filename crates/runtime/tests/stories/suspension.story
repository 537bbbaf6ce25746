# Suspension: of jobs, of kinds of jobs, of instances, of whole processes.

story "jobs of a suspended instance are not run"
  engine executor off
  delegate A
  process p, camunda:  start -> f+ -> a{delegate A, async} -> end
                       f -> wait{timer 10m} -> end
  start p            | job a waits
  suspend            | job a suspended, job wait suspended
  executor starts    | A called 0 times
  1h passes          | token at wait, token at a
  resume             | instance ended, A called once

story "a timer of a suspended instance keeps its due date"
  process p, camunda:  start -> wait{timer 10m} -> end
  start p            | job wait due in 10m
  suspend            | job wait suspended
  4m pass
  resume             | job wait due in 6m
  6m pass            | instance ended

story "Flowable's jobs of a suspended instance come back when it is activated"
  engine executor off
  delegate A
  process p, flowable:  start -> f+ -> a{delegate A, async} -> end
                        f -> wait{timer 10m} -> end
                        f -> ext{service mail} -> end
  start p            | job a waits
  suspend            | job a suspended, job wait suspended, job mail suspended
  worker anna takes mail  | got nothing
  resume             | job a waits, job wait due in 10m, job mail waits

story "a dead letter stays one when its instance is suspended and resumed"
  delegate A: fails 3 times
  process p, camunda:  start -> a{delegate A, async} -> end
  start p            | job a dead, incident at a
  suspend
  resume             | job a dead, incident at a
  retries a 1        | instance ended

story "a dead letter of a suspended instance that gets retries waits until it is resumed"
  delegate A: fails 3 times
  process p, camunda:  start -> a{delegate A, async} -> end
  start p                  | job a dead, incident at a
  suspend
  retries a 1 due in 10m   | job a suspended, no incident
  20m pass                 | job a suspended
  resume                   | instance ended

story "a single job is suspended and resumed"
  engine executor off
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  start p as one
  start p as two
  suspend job a of one   | one: job a suspended, two: job a waits
  executor starts        | two: instance ended, one: job a suspended
  resume job a of one    | one: instance ended

story "all jobs of an element are suspended, those to come as well"
  engine executor off
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  start p as before
  suspend jobs of a      | before: job a suspended
  start p as after       | after: job a suspended
  executor starts        | A called 0 times
  resume jobs of a       | before: instance ended, after: instance ended

story "only the jobs to come of an element are suspended"
  engine executor off
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  start p as before
  suspend jobs of a only new  | before: job a waits
  start p as after            | after: job a suspended
  executor starts             | before: instance ended, after: job a suspended
  resume jobs of a            | after: instance ended

story "jobs of other elements go on"
  delegate A
  delegate B
  process p, camunda:  start -> f+ -> a{delegate A, async} -> end
                       f -> b{delegate B, async} -> end
  suspend jobs of a
  start p                | job a suspended, job b gone, calls B

story "a suspended kind of job is still suspended after a restart"
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  suspend jobs of a
  restart
  start p                | job a suspended
  resume jobs of a       | instance ended

story "kinds of jobs are suspended later"
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  suspend jobs of a in 10m
  start p as before      | before: instance ended
  10m pass
  start p as after       | after: job a suspended
  resume jobs of a in 5m | after: job a suspended
  5m pass                | after: instance ended

story "of a suspended process no instance is started"
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  suspend process p
  start p                | rejected, 0 instances of p
  resume process p
  start p                | instance ended

story "instances of a suspended process go on until their next job"
  engine executor off
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> b{delegate A, async} -> end
  start p                | job a waits
  suspend process p      | job a waits
  executor starts        | job a gone, job b suspended
  resume process p       | job b suspended
  resume job b           | instance ended

story "a process is suspended with its instances and their jobs"
  engine executor off
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  start p as one
  start p as two
  suspend process p with instances   | one: job a suspended, two: job a suspended
  executor starts                    | A called 0 times
  resume process p with instances    | one: instance ended, two: instance ended

story "a process is suspended and activated at a moment to come"
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  suspend process p in 10m
  start p as early                   | early: instance ended
  10m pass
  start p as late                    | rejected
  resume process p in 10m
  start p as late                    | rejected
  10m pass
  start p as later                   | later: instance ended

story "a process is deployed suspended and activated at a moment to come"
  delegate A
  process p, camunda, active in 10m:  start -> a{delegate A, async} -> end
  start p                            | rejected: definition is suspended, 0 instances of p
  9m59s pass
  start p                            | rejected: definition is suspended
  1s passes
  start p                            | instance ended

story "Flowable's process is deployed suspended and activated at a moment to come"
  delegate A
  process p, flowable, active in 10m:  start -> a{delegate A, async} -> end
  start p                            | rejected: definition is suspended, 0 instances of p
  10m pass
  start p                            | instance ended

story "a process for workers is deployed suspended and activated at a moment to come"
  process p, active in 10m:  start -> pay{service pay} -> end
  start p                            | rejected: definition is suspended
  10m pass
  start p                            | job pay waits

story "the moment of an activation survives a restart"
  process p, camunda, active in 10m:  start -> ask{user} -> end
  5m pass
  restart
  start p                            | rejected: definition is suspended
  5m pass
  start p                            | task at ask

story "a version that is to be active later is the latest one already"
  process p, camunda:  start -> old{user} -> end
  process p, camunda, active in 10m:  start -> fresh{user} -> end
  start p                            | rejected: definition is suspended
  start p version 1 as one           | one: task at old
  10m pass
  start p as two                     | two: task at fresh

story "a moment that has passed is as good as now"
  engine executor off
  process p, camunda, active in 0s:  start -> ask{user} -> end
  start p                            | rejected: definition is suspended
  executor starts
  start p                            | task at ask

story "a process that is resumed before its moment stays active"
  process p, camunda, active in 10m:  start -> ask{user} -> end
  resume process p
  start p as one                     | one: task at ask
  10m pass
  start p as two                     | two: task at ask

story "start timers of a process that is to be active later wait until then"
  process p, camunda, active in 10m:  start{timer 10s} -> ask{user} -> end
  1m passes                          | 0 instances of p
  9m pass                            | 1 instances of p

story "start timers of a process of Flowable that is to be active later wait until then"
  process p, flowable, active in 10m:  start{timer 10s} -> ask{user} -> end
  1m passes                          | 0 instances of p
  9m pass                            | 1 instances of p

story "start timers of the version before are gone when the next one is to be active later"
  process p, camunda:  start{timer R/10m} -> old{user} -> end
  process p, camunda, active in 1h:  start -> ask{user} -> end
  30m pass                           | 0 instances of p

story "messages and signals start nothing before their process is active"
  process p, camunda, active in 10m:  start{message go} -> ask{user} -> end
  process q, camunda, active in 10m:  start{signal all} -> ask{user} -> end
  correlate go                       | rejected: definition is suspended, 0 instances of p
  signal all                         | 0 instances of q
  10m pass
  correlate go                       | 1 instances of p
  signal all                         | 1 instances of q

story "a process that is to be active later is not called before"
  engine executor off
  process p, camunda:  start -> sub{call child, async, retry R2/PT20M} -> end
  process child, camunda, active in 10m:  start -> ask{user} -> end
  start p                            | p: job sub waits
  executor starts                    | p: job sub has 1 retries, 0 instances of child
  10m pass                           | 0 instances of child
  10m pass                           | 1 instances of child

story "instances are suspended with their process at a moment to come"
  process p, camunda:  start -> wait{timer 1h} -> end
  start p                                    | job wait due in 1h
  suspend process p with instances in 10m    | job wait due in 1h
  10m pass                                   | job wait suspended
  2h pass                                    | job wait suspended
  resume process p with instances            | instance ended

story "timer start events of a suspended process wait for its activation"
  process p, camunda:  start{timer R3/10s} -> ask{user} -> end
  10s pass               | 1 instances of p
  suspend process p
  10s pass               | 1 instances of p
  resume process p       | 2 instances of p

story "a suspended process is not called either"
  engine executor off
  delegate A
  process p, camunda:  start -> sub{call child, async, retry R2/PT1M} -> end
  process child, camunda:  start -> a{delegate A} -> end
  suspend process child
  start p                | p: job sub waits
  executor starts        | p: job sub has 1 retries, 0 instances of child
  resume process child
  1m passes              | p: instance ended

story "in Flowable only a flag of the definition is set"
  engine executor off
  delegate A
  process p, flowable:  start -> a{delegate A, async} -> b{delegate A, async} -> wait{timer 10m} -> end
  start p as one         | one: job a waits
  suspend process p      | one: job a waits
  start p as two         | rejected
  execute a              | one: job b waits
  execute b              | one: job wait due in 10m
  executor starts        | one: job wait due in 10m
  10m pass               | one: instance ended

story "Flowable's instances are suspended with their process, and activated with it"
  engine executor off
  delegate A
  process p, flowable:  start -> f+ -> a{delegate A, async} -> end
                        f -> wait{timer 10m} -> end
  start p as one
  start p as two
  suspend process p with instances  | one: job a suspended, one: job wait suspended, two: job a suspended
  executor starts
  1h passes                         | A called 0 times
  resume process p                  | one: job a suspended
  start p as three                  | A called once
  resume one                        | one: instance ended, two: job a suspended
  resume process p with instances   | two: instance ended

story "Flowable's process is suspended and activated at a moment to come"
  delegate A
  process p, flowable:  start -> a{delegate A, async} -> end
  suspend process p in 10m
  start p as early                  | early: instance ended
  10m pass
  start p as late                   | rejected
  resume process p in 10m
  start p as late                   | rejected
  10m pass
  start p as later                  | later: instance ended

story "Flowable's instances are suspended with their process at a moment to come"
  process p, flowable:  start -> wait{timer 1h} -> end
  start p                                    | job wait due in 1h
  suspend process p with instances in 10m    | job wait due in 1h
  9m59s pass                                 | job wait due in 50m1s
  1s passes                                  | job wait suspended
  resume process p with instances in 20m     | job wait suspended
  20m pass                                   | job wait due in 30m
  30m pass                                   | instance ended

story "timer start events of a suspended process of Flowable wait for its activation"
  process p, flowable:  start{timer R3/10s} -> ask{user} -> end
  10s pass               | 1 instances of p
  suspend process p
  15s pass               | 1 instances of p
  resume process p       | 2 instances of p
  5s pass                | 3 instances of p

story "jobs made in a suspended instance are suspended"
  delegate A
  process p, camunda:  start -> ask{user} -> a{delegate A, async} -> end
                       ask @timer(10m, alongside) -> end reminded
  start p
  suspend                | job ask_timer suspended
  user completes ask     | rejected
  resume
  user completes ask     | instance ended

story "workers get no job of a suspended instance"
  process p, camunda:  start -> a{service pay} -> end
  start p                | job pay waits
  suspend                | job pay suspended
  worker anna takes pay  | got nothing
  resume                 | job pay waits
  worker anna takes pay  | got pay

story "a suspended instance hears no message and no signal"
  process p, camunda:  start -> f+ -> a{receive paid} -> end
                       f -> b{signal alarm} -> end
  start p
  suspend
  correlate paid         | rejected
  resume
  correlate paid         | no token at a

story "a job that waits for its retry keeps its due date through a suspension"
  delegate A: fails
  process p, camunda:  start -> a{delegate A, async, retry R3/PT10M} -> end
  start p                | job a due in 10m
  suspend                | job a suspended
  4m pass
  resume                 | job a due in 6m, job a has 2 retries
  6m pass                | instance ended

story "retries, priorities and due dates are set while an instance is suspended"
  delegate A: fails
  process p, camunda:  start -> a{delegate A, async, retry R1/PT10M} -> end
  start p                | job a dead
  suspend
  retries a 2 due now    | A called once
  prioritise a 7
  resume                 | instance ended, A called 2 times

story "an instance is suspended by itself, and not the ones it called"
  engine executor off
  delegate A
  process p, camunda:  start -> f+ -> sub{call child} -> end
                       f -> a{delegate A, async} -> end
  process child, camunda:  start -> b{delegate A, async} -> end
  start p as p
  suspend p              | p: job a suspended, child: job b waits

story "a suspended instance is still suspended after a restart"
  delegate A
  process p, camunda:  start -> wait{timer 10m} -> a{delegate A} -> end
  start p
  suspend                | job wait suspended
  restart                | job wait suspended
  1h passes              | A called 0 times
  resume                 | instance ended

story "only the jobs to come of an element are resumed"
  engine executor off
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  start p as before
  suspend jobs of a           | before: job a suspended
  resume jobs of a only new   | before: job a suspended
  start p as after            | after: job a waits
  executor starts             | after: instance ended, before: job a suspended
  resume job a of before      | before: instance ended

story "the jobs of an element are suspended later, those to come alone"
  delegate A
  process p, camunda:  start -> wait{timer 20m} -> a{delegate A, async} -> end
  suspend jobs of wait only new in 10m
  start p as before           | before: job wait due in 20m
  10m pass                    | before: job wait due in 10m
  start p as after            | after: job wait suspended
  10m pass                    | before: instance ended, after: job wait suspended
  resume jobs of wait
  20m pass                    | after: instance ended

story "the timers of an element are suspended, and fire when they are resumed"
  process p, camunda:  start -> ask{user} -> end
                       ask @timer(10m) -> end late
  start p                     | job ask_timer due in 10m
  suspend jobs of ask_timer   | job ask_timer suspended
  20m pass                    | task at ask
  resume jobs of ask_timer    | instance ended at late

story "jobs of a suspended kind that are made in a suspended instance need both to be resumed"
  engine executor off
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  start p
  suspend jobs of a           | job a suspended
  suspend
  resume jobs of a            | job a suspended
  resume                      | job a waits

story "a process is resumed without its instances, which wait for their own turn"
  delegate A
  process p, camunda:  start -> wait{timer 10m} -> a{delegate A} -> end
  start p as one
  start p as two
  suspend process p with instances   | one: job wait suspended, two: job wait suspended
  resume process p                   | one: job wait suspended
  start p as three                   | three: job wait due in 10m
  resume one                         | one: job wait due in 10m
  10m pass                           | one: instance ended, three: instance ended, two: job wait suspended

story "all versions of a process are suspended with it"
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  process p, camunda:  start -> a{delegate A, async} -> end
  suspend process p
  start p version 1      | rejected
  start p                | rejected
  resume process p
  start p version 1      | instance ended

story "a dead letter of a suspended instance runs when both its retries and its instance are back"
  delegate A: fails 3 times
  process p, flowable:  start -> a{delegate A, async} -> end
  start p
  20s pass               | job a dead
  suspend                | job a dead
  resume                 | job a dead
  revive a with 1 retries  | instance ended

story "the retry of a suspended kind of job runs when it is resumed"
  delegate A: fails
  process p, camunda:  start -> a{delegate A, async, retry R3/PT10M} -> end
  start p              | job a due in 10m
  suspend jobs of a    | job a suspended
  1h passes            | job a suspended, A called once
  resume jobs of a     | instance ended, A called 2 times

story "tasks and timers of instances that are suspended with their process wait"
  delegate A
  process p, camunda:  start -> ask{user} -> a{delegate A, async} -> end
                       ask @timer(10m) -> end late
  start p                           | task at ask
  suspend process p with instances  | job ask_timer suspended
  user completes ask                | rejected
  1h passes                         | task at ask
  resume process p with instances   | instance ended at late

story "Flowable's retry in its wait runs at once when its instance is resumed"
  delegate A: fails
  process p, flowable:  start -> a{delegate A, async} -> end
  start p           | job a due in 10s
  suspend           | job a suspended
  resume            | instance ended, A called 2 times

story "what follows a job that is executed by hand in a suspended instance is suspended"
  engine executor off
  delegate A
  process p, flowable:  start -> f+ -> a{delegate A, async} -> b{delegate A, async} -> end
                        f -> ask{user} -> end
  start p           | job a waits
  suspend           | job a suspended
  user completes ask | rejected
  execute a         | job b suspended

story "a suspension to come takes place although it was done by hand and undone"
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  suspend process p in 10m
  suspend process p
  start p                | rejected
  resume process p
  start p as two         | two: instance ended
  10m pass
  start p                | rejected

story "a repetition goes on while only its process is suspended"
  process p, camunda:  start -> ask{user} -> end
                       ask @timer(R3/PT10M, alongside) -> end nagged
  start p             | 1 jobs ask_timer
  suspend process p   | job ask_timer due in 10m
  10m pass            | job ask_timer due in 10m
  10m pass            | job ask_timer due in 10m
  10m pass            | job ask_timer gone, task at ask

story "what a worker brings to a suspended instance is refused, and taken when it is resumed"
  process p, camunda:  start -> a{service pay} -> end
  start p
  worker anna takes pay   | got pay
  suspend
  worker anna completes pay  | rejected
  resume
  worker anna completes pay  | instance ended

story "a caller that is not suspended ends a called instance that is"
  delegate A
  process parent, camunda:  start -> sub{call child} -> end
                            sub @timer(10m) -> end late
  process child, camunda:   start -> ask{user} -> a{delegate A, async} -> end
  start parent as parent    | child: task at ask
  suspend child
  10m pass                  | parent: instance ended at late, child: instance cancelled

story "to resume what is not suspended changes nothing"
  engine executor off
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  start p
  resume             | job a waits
  resume job a       | job a waits
  resume jobs of a   | job a waits
  resume process p   | job a waits

story "an instance that is suspended twice is resumed once"
  engine executor off
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  start p
  suspend
  suspend
  resume             | job a waits

story "a kind of job is suspended in one version"
  engine executor off
  delegate A
  process p, camunda:  start -> a{delegate A, async, priority 1} -> end
  process p, camunda:  start -> a{delegate A, async} -> end
  suspend jobs of a
  start p version 1 as old   | old: job a waits
  start p as latest          | latest: job a suspended

story "Flowable's instances of a suspended process run to their end"
  delegate A
  process p, flowable:  start -> ask{user} -> a{delegate A, async} -> b{delegate A, async} -> end
  start p
  suspend process p
  user completes ask   | instance ended

story "Flowable's timer that comes due in a suspended instance fires when that is resumed"
  process p, flowable:  start -> wait{timer 10m} -> ask{user} -> end
  start p
  suspend
  1h passes     | token at wait
  resume        | task at ask

story "Flowable's external job keeps its retries through a suspension"
  process p, flowable:  start -> a{service mail} -> end
  start p
  worker anna takes mail                              | got mail
  worker anna fails mail leaving 2 retries "busy"     | job mail has 2 retries
  suspend                                             | job mail suspended
  resume                                              | job mail waits, job mail has 2 retries

story "Flowable refuses to suspend what is suspended and to resume what is not"
  engine executor off
  delegate A
  process p, flowable:  start -> a{delegate A, async} -> end
  start p
  resume             | rejected
  suspend
  suspend            | rejected
  resume             | job a waits

story "an instance that is resumed takes along jobs that were suspended by themselves"
  engine executor off
  delegate A
  process p, camunda:  start -> f+ -> a{delegate A, async nonexclusive} -> end
                       f -> b{delegate A, async nonexclusive} -> end
  start p
  suspend job a      | job a suspended, job b waits
  resume             | job a waits, job b waits

story "jobs of a suspended kind are resumed with their instance, and new ones are suspended"
  engine executor off
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  suspend jobs of a
  start p            | job a suspended
  resume             | job a waits
  start p as two     | two: job a suspended

story "a suspended kind of timer leaves its task alone"
  process p, camunda:  start -> ask{user} -> end
                       ask @timer(10m) -> end late
  start p
  suspend jobs of ask_timer   | job ask_timer suspended
  1h passes                   | task at ask
  user completes ask          | instance ended at end

story "a timer that is moved while it is suspended waits for its new due date"
  process p, camunda:  start -> wait{timer 10m} -> ask{user} -> end
  start p
  suspend
  due wait in 1h      | job wait suspended
  resume              | job wait due in 1h
  1h passes           | task at ask

story "a job without retries that is suspended runs when it has both back"
  delegate A: fails 3 times
  process p, camunda:  start -> a{delegate A, async} -> end
  start p             | job a dead
  suspend jobs of a   | job a suspended
  retries a 2         | job a suspended, no incident
  resume jobs of a    | instance ended

story "the next of a repetition that was suspended and is executed by hand is suspended as well"
  delegate A
  process p, camunda:  start -> ask{user} -> end
                       ask @timer(R3/10s, alongside) -> x{delegate A} -> end other
  start p                  | job ask_timer due in 10s
  suspend job ask_timer    | job ask_timer suspended
  execute ask_timer        | A called once, job ask_timer suspended
  20s pass                 | A called once
  resume job ask_timer     | A called 2 times

story "an instance that is suspended keeps the retries, priorities and due dates of its jobs"
  delegate A: fails 2 times
  process p, camunda:  start -> a{delegate A, async, retry R5/PT10S, priority 4} -> end
  start p        | job a due in 10s, job a has 4 retries
  suspend        | job a suspended, job a has 4 retries, job a has priority 4, job a has a due date
  resume         | job a due in 10s, job a has 4 retries, job a has priority 4
  10s pass       | job a has 3 retries

story "a job in its wait that is suspended by itself goes on waiting when it is resumed"
  delegate A: fails
  process p, camunda:  start -> a{delegate A, async, retry R3/PT10M} -> end
  start p          | job a due in 10m
  suspend job a    | job a suspended
  5m pass
  resume job a     | job a due in 5m
  5m pass          | instance ended, A called 2 times

story "a job in its wait that is suspended beyond it runs at once when it is resumed"
  delegate A: fails
  process p, camunda:  start -> a{delegate A, async, retry R3/PT10M} -> end
  start p          | job a due in 10m
  suspend job a
  1h passes        | A called once
  resume job a     | instance ended, A called 2 times

story "Flowable's retries of a suspended job are set"
  engine executor off
  delegate A
  process p, flowable:  start -> a{delegate A, async} -> end
  start p        | job a waits
  suspend        | job a suspended
  retries a 7    | job a has 7 retries
  resume         | job a waits, job a has 7 retries

story "a job that is suspended and gets no retries is dead when it is resumed"
  engine executor off
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  start p
  suspend job a    | job a suspended
  retries a 0      | job a suspended
  resume job a     | job a dead
  retries a 1      | job a waits

story "a dead letter of Flowable that is revived in a suspended instance is suspended"
  engine executor off
  delegate A
  process p, flowable:  start -> a{delegate A, async} -> end
  start p
  bury a           | job a dead
  suspend          | job a dead
  revive a with 1 retries | job a suspended
  resume           | job a waits

story "a worker's job in its wait goes on waiting when its instance is resumed"
  process p, camunda:  start -> a{service pay} -> end
  start p
  worker w takes pay
  worker w fails pay leaving 2 retries waiting 10m
  suspend          | job pay suspended
  resume           | job pay due in 10m
  10m pass         | job pay waits

story "Flowable's repetition that was missed in a suspended instance fires once when that is resumed"
  delegate A
  process p, flowable:  start -> ask{user} -> end
                        ask @timer(R3/10m, alongside) -> x{delegate A} -> end other
  start p          | job ask_timer due in 10m
  suspend          | job ask_timer suspended
  15m pass         | A called 0 times
  resume           | A called once

story "a job of a suspended instance of Flowable is not resumed by itself"
  engine executor off
  delegate A
  process p, flowable:  start -> a{delegate A, async} -> end
  start p
  suspend              | job a suspended
  resume job a         | rejected: instance is suspended

story "the queue of a suspended instance comes back by age, not by element"
  engine executor off
  delegate A
  delegate B
  process p, flowable:  start -> f+ -> ask{user, async after} -> a{delegate A} -> end
                        f -> b{delegate B, async} -> end
  start p                            | job b waits
  user completes ask                 | job b waits, job ask parked
  suspend
  resume                             | job b waits, job ask parked

story "an asynchronous signal does not reach a suspended instance"
  process thrower, flowable:  start -> shout{throw signal alarm, asynchronously} -> end
  process hearer, flowable:   start -> hear{signal alarm} -> end
  start hearer as h
  suspend h
  start thrower as t                 | t: instance ended, h: 0 jobs hear
  resume h                           | h: token at hear

story "variables of a suspended instance are not set"
  process p, flowable:  start -> a{user} -> end
  start p
  suspend
  set {"n": 1}                       | rejected, no variable n

story "a message that would start a suspended process is refused"
  process p, flowable:  start{message order} -> a{user} -> end
  suspend process p
  correlate order                    | rejected

story "a called instance does not end into a caller that is suspended"
  process p, camunda:  start -> sub{call q} -> ask{user} -> end
  process q, camunda:  start -> b{user} -> end
  start p as p
  suspend p
  user completes b of q  | rejected, q: task at b
  resume p
  user completes b of q  | p: task at ask

story "the job that would end a called instance fails while the caller is suspended"
  engine executor off
  delegate A
  process p, camunda:  start -> sub{call q} -> ask{user} -> end
  process q, camunda:  start -> b{delegate A, async, retry R3/PT5M} -> end
  start p as p
  suspend p
  executor starts        | q: job b has 2 retries, q: job b due in 5m
  resume p
  5m pass                | p: task at ask

story "an error of a called instance is not caught by a caller that is suspended"
  process p, camunda:  start -> sub{call q} -> end
                       sub @error(E) -> ask{user} -> end
  process q, camunda:  start -> b{user} -> end bad{error E}
  start p as p
  suspend p
  user completes b of q  | rejected, q: task at b
  resume p
  user completes b of q  | p: task at ask

story "Flowable's called instance ends into a caller that is suspended, which goes on to its next job"
  engine executor off
  delegate A
  process p, flowable:  start -> sub{call q} -> a{delegate A, async} -> end
  process q, flowable:  start -> b{user} -> end
  start p as p
  suspend p
  user completes b of q  | p: job a suspended

story "a failure in a called instance is told as it is, although the caller is suspended"
  engine executor off
  delegate A: fails 3 times
  process p, camunda:  start -> sub{call q} -> end
                       sub @error(E) -> ask{user} -> end
  process q, camunda:  start -> b{delegate A, async} -> c{user} -> end
  start p as p
  suspend p
  executor starts        | q: job b dead, q: incident failedJob at b
  retries b 1            | q: task at c

story "an escalation that nobody catches does not care whether the caller is suspended"
  process p, camunda:  start -> sub{call q} -> end
  process q, camunda:  start -> b{user} -> up{throw escalation X} -> c{user} -> end
  start p as p
  suspend p
  user completes b of q  | q: task at c
