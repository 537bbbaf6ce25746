# Failures of jobs: how often they are tried, when, and what tells of it.

story "a job is tried three times in all, one retry less after each"
  delegate Charge: fails "no line" 3 times
  process p, camunda:  start -> pay{delegate Charge, async, retry R3/PT1M} -> end
  start p        | Charge called once, job pay has 2 retries, job pay due in 1m, no incident
  1m passes      | Charge called 2 times, job pay has 1 retries, no incident
  1m passes      | Charge called 3 times, job pay has 0 retries, job pay dead, incident failedJob at pay saying "no line"
  1d passes      | nothing

story "without a cycle a failed job is tried again at once"
  delegate Charge: fails 2 times
  process p, camunda:  start -> pay{delegate Charge, async} -> end
  start p        | Charge called 3 times, instance ended

story "a failed job is unlocked"
  engine executor off
  delegate Charge: fails
  process p, camunda:  start -> pay{delegate Charge, async} -> end
  start p
  execute pay    | rejected, job pay waits, job pay has 2 retries

story "the engine's own number of tries holds where the model has none"
  engine defaultNumberOfRetries = 5
  delegate Charge: fails 9 times
  process p, camunda:  start -> pay{delegate Charge, async} -> end
  process q, camunda:  start -> pay{delegate Charge, async, retry R2/PT1M} -> end
  start p        | Charge called 5 times, job pay dead
  start q        | job pay has 1 retries

story "the engine's own cycle holds where the model has none"
  engine failedJobRetryTimeCycle = R5/PT5M
  delegate Charge: fails 9 times
  process p, camunda:  start -> pay{delegate Charge, async} -> end
  process q, camunda:  start -> pay{delegate Charge, async, retry R2/PT1M} -> end
  start p as p   | p: job pay has 4 retries, p: job pay due in 5m
  start q as q   | q: job pay has 1 retries, q: job pay due in 1m
  5m pass        | p: job pay has 3 retries, q: job pay dead
  15m pass       | p: job pay dead, p: incident failedJob at pay

story "the engine's own cycle holds for timers too"
  engine failedJobRetryTimeCycle = R2/PT5M
  delegate Charge: fails 9 times
  process p, camunda:  start -> wait{timer 10s} -> pay{delegate Charge} -> end
  start p
  10s pass       | job wait has 1 retries, job wait due in 5m
  5m pass        | job wait dead, incident failedJob at wait

story "a wait below five minutes is one"
  delegate Charge: fails
  process p, camunda:  start -> pay{delegate Charge, async, retry R5/PT1S} -> end
  start p        | job pay due in 1s
  1s passes      | instance ended

story "the cycle may be an expression, which is computed at each failure"
  delegate Charge: fails 3 times
  process p, camunda:  start -> pay{delegate Charge, async, retry "${cycle}"} -> end
  start p {"cycle": "R4/PT1M"}      | job pay has 3 retries, job pay due in 1m
  set {"cycle": "R4/PT2M"}
  1m passes                         | job pay has 2 retries, job pay due in 2m
  set {"cycle": "PT5M,PT6M,PT7M"}
  2m pass                           | job pay has 1 retries, job pay due in 7m

story "a cycle whose expression cannot be computed is none"
  delegate Charge: fails 3 times
  process p, camunda:  start -> pay{delegate Charge, async, retry "${missing}"} -> end
  start p        | Charge called 3 times, job pay dead

story "a single wait allows two tries"
  delegate Charge: fails 2 times
  process p, camunda:  start -> pay{delegate Charge, async, retry PT5M} -> end
  start p        | job pay has 1 retries, job pay due in 5m
  5m pass        | job pay dead, Charge called 2 times

story "a failed job keeps to its due date and not to a lock"
  delegate Charge: fails
  process p, camunda:  start -> pay{delegate Charge, async, retry R3/PT5M} -> end
  start p        | job pay due in 5m
  restart        | job pay due in 5m, job pay has 2 retries
  due pay now    | instance ended

story "the job of a call activity has its cycle"
  delegate Work: fails 3 times
  process p, camunda:  start -> sub{call child, async, retry R2/PT1M} -> end
  process child, camunda:  start -> a{delegate Work} -> end
  start p        | p: job sub has 1 retries, p: job sub due in 1m, 0 instances of child
  1m passes      | p: job sub dead, p: incident failedJob at sub

story "the job of a subprocess has its cycle"
  delegate Work: fails
  process p, camunda:  start -> sub{subprocess, async, retry R4/PT1M} -> end
                       in sub: start -> a{delegate Work} -> end
  start p        | job sub has 3 retries, job sub due in 1m
  1m passes      | instance ended

story "the job of a transaction has its cycle"
  delegate Work: fails
  process p, camunda:  start -> sub{subprocess, transactional, async, retry R4/PT1M} -> end
                       in sub: start -> a{delegate Work} -> end
  start p        | job sub has 3 retries, job sub due in 1m
  1m passes      | instance ended

story "a boundary timer has the cycle of its event"
  delegate Work: fails 2 times
  process p, camunda:  start -> ask{user} -> end
                       ask @timer(10s, retry R3/PT5S) -> a{delegate Work} -> end late
  start p        | job ask_timer has 3 retries
  10s pass       | job ask_timer has 2 retries, job ask_timer due in 5s, task at ask
  5s pass        | job ask_timer has 1 retries, job ask_timer due in 5s
  5s pass        | instance ended at late

story "the incident of a boundary timer is at the event"
  process p, camunda:  start -> ask{user} -> end
                       ask @timer(10s) -> end late
  start p               | job ask_timer due in 10s
  retries ask_timer 0   | job ask_timer dead, incident failedJob at ask_timer, task at ask
  retries ask_timer 1   | no incident
  10s pass              | instance ended at late

story "in Flowable, too, the dead letter of a boundary timer is at the event"
  process p, flowable:  start -> ask{user} -> end
                        ask @timer(10s) -> end late
  start p               | job ask_timer due in 10s
  bury ask_timer        | job ask_timer dead, incident deadLetter at ask_timer, task at ask

story "the incident of retries taken away says what the job failed with"
  delegate Charge: fails "no line"
  process p, camunda:  start -> pay{delegate Charge, async, retry R3/PT1M} -> end
  start p        | job pay has 2 retries, job pay due in 1m
  retries pay 0  | job pay dead, incident failedJob at pay saying "no line"

story "the incident of a job that never failed says who stopped it"
  engine executor off
  delegate Charge
  process p, camunda:  start -> pay{delegate Charge, async} -> end
  start p        | job pay waits
  retries pay 0  | incident failedJob at pay saying "an operator has taken away the retries"

story "a timer catch event has the cycle of its own"
  delegate Work: fails
  process p, camunda:  start -> wait{timer 10s, retry R4/PT7S} -> a{delegate Work} -> end
  start p        | job wait has 4 retries
  10s pass       | job wait has 3 retries, job wait due in 7s
  7s pass        | instance ended

story "a throw event has the cycle of its own"
  delegate Work: fails
  process p, camunda:  start -> shout{throw signal alarm, async, retry R4/PT7S} -> a{delegate Work} -> end
  start p        | job shout has 3 retries, job shout due in 7s
  7s pass        | instance ended

story "a failed timer start event is tried again by its cycle"
  delegate Work: fails
  process p, camunda:  start{timer 10s, retry R3/PT5S} -> a{delegate Work} -> end
  10s pass       | 0 instances of p, Work called once
  5s pass        | 1 instances of p, Work called 2 times

story "the cycle of a multi-instance is that of its body, the inner one that of each instance"
  delegate Work: fails, succeeds 2 times
  delegate After: fails
  process p, camunda:  start -> a{delegate Work, async after, retry R5/PT5M, each items as item, inner async, inner retry R3/PT5S} -> b{delegate After} -> end
  start p {"items": [1, 2]}   | 1 jobs a, job a has 2 retries, job a due in 5s
  5s pass                     | 1 jobs a, job a has 4 retries, job a due in 5m, calls Work Work Work After
  5m pass                     | instance ended

story "a list of waits is the engine's own cycle"
  engine failedJobRetryTimeCycle = "PT10M,PT17M,PT20M"
  delegate Charge: fails 4 times
  process p, camunda:  start -> pay{delegate Charge, async} -> end
  start p        | job pay due in 10m, job pay has 3 retries
  10m pass       | job pay due in 17m, job pay has 2 retries
  17m pass       | job pay due in 20m, job pay has 1 retries
  20m pass       | job pay dead, job pay has 0 retries, Charge called 4 times, incident failedJob at pay

story "a list of the element beats that of the engine"
  engine failedJobRetryTimeCycle = "PT10M,PT17M,PT20M"
  delegate Charge: fails 4 times
  process p, camunda:  start -> pay{delegate Charge, async, retry "PT1S, PT2S"} -> end
  start p        | job pay due in 1s, job pay has 2 retries

story "with more retries than a list has waits the first wait fills the surplus"
  delegate Charge: fails 9 times
  process p, camunda:  start -> pay{delegate Charge, async, retry "PT1M,PT2M,PT3M"} -> end
  start p                | job pay due in 1m, job pay has 3 retries
  retries pay 6          | job pay due in 1m
  1m passes              | job pay due in 1m, job pay has 5 retries
  1m passes              | job pay due in 1m, job pay has 4 retries
  1m passes              | job pay due in 1m, job pay has 3 retries
  1m passes              | job pay due in 2m, job pay has 2 retries
  2m pass                | job pay due in 3m, job pay has 1 retries
  3m pass                | job pay dead

story "new retries may come with a due date, to try again soon or later"
  delegate Charge: fails 2 times
  process p, camunda:  start -> pay{delegate Charge, async, retry R2/PT1H} -> end
  start p                    | job pay due in 1h
  1h passes                  | job pay dead, incident failedJob at pay
  retries pay 1 due in 10m   | job pay due in 10m, job pay has 1 retries, no incident
  10m pass                   | instance ended

story "a due date that is past lets a job run at once"
  delegate Charge: fails
  process p, camunda:  start -> pay{delegate Charge, async, retry R3/PT1H} -> end
  start p                    | job pay due in 1h
  retries pay 5 due now      | instance ended

story "new retries alone do not hurry a job that waits"
  delegate Charge: fails
  process p, camunda:  start -> pay{delegate Charge, async, retry R3/PT1H} -> end
  start p                | job pay due in 1h, job pay has 2 retries
  retries pay 5          | job pay due in 1h, job pay has 5 retries
  retries pay -1         | rejected: negative retries

story "an incident tells of a job without retries, and history keeps it"
  delegate Charge: fails "no line" 4 times
  process p, camunda:  start -> pay{delegate Charge, async} -> end
  start p        | incident failedJob at pay saying "no line", 1 incidents ever
  retries pay 1  | incident failedJob at pay saying "no line", 2 incidents ever
  retries pay 1  | no incident, instance ended, 2 incidents ever

story "an engine may be told to open no incidents"
  engine createIncidentOnFailedJobEnabled = false
  delegate Charge: fails 3 times
  process p, camunda:  start -> pay{delegate Charge, async} -> end
  start p        | job pay dead, no incident, 0 incidents ever
  retries pay 1  | instance ended

story "an incident of a called instance is told of in the instance that called it"
  delegate Charge: fails 3 times
  process p, camunda:  start -> sub{call child} -> end
  process child, camunda:  start -> pay{delegate Charge, async} -> end
  start p        | child: incident failedJob at pay, p: incident failedJob at sub
  retries pay 1  | child: no incident, p: no incident, p: instance ended

story "a failure undoes everything since the last save point"
  delegate A: succeeds {"a": 1}
  delegate B: fails 3 times
  process p, camunda:  start -> a{delegate A, async} -> b{delegate B} -> end
  start p        | job a dead, no variable a, token at a, incident at a, calls A B A B A B

story "retries taken away stop a job"
  delegate Charge: fails
  process p, camunda:  start -> pay{delegate Charge, async, retry R3/PT1H} -> end
  start p        | job pay due in 1h
  retries pay 0  | job pay dead, incident failedJob at pay
  2h pass        | nothing
  retries pay 1 due now  | instance ended

story "in Flowable three means three tries, ten seconds apart"
  delegate Charge: fails 3 times
  process p, flowable:  start -> pay{delegate Charge, async} -> end
  start p        | job pay due in 10s, job pay has 2 retries
  10s pass       | job pay due in 10s, job pay has 1 retries
  10s pass       | job pay dead, Charge called 3 times, incident deadLetter at pay

story "Flowable's number of tries is a property"
  engine asyncExecutorNumberOfRetries = 2
  delegate Charge: fails 3 times
  process p, flowable:  start -> pay{delegate Charge, async} -> end
  start p        | job pay has 1 retries
  10s pass       | job pay dead, Charge called 2 times

story "Flowable's wait after a failure is a property"
  engine asyncFailedJobWaitTime = 60
  delegate Charge: fails
  process p, flowable:  start -> pay{delegate Charge, async} -> end
  start p        | job pay due in 1m
  1m passes      | instance ended

story "Flowable's cycle says how often and how long"
  delegate Charge: fails 5 times
  process p, flowable:  start -> pay{delegate Charge, async, retry R5/PT7M} -> end
  start p        | job pay due in 7m, job pay has 4 retries
  21m pass       | job pay due in 7m, job pay has 1 retries
  7m pass        | job pay dead, Charge called 5 times

story "when the retries are used up an incident waits for new ones, and the cycle goes on"
  delegate Charge: fails "no line" 5 times
  process p, camunda:  start -> pay{delegate Charge, async, retry R2/PT1M} -> b{delegate Charge} -> end
  start p           | job pay has 1 retries, job pay due in 1m, no incident
  1m passes         | job pay dead, incident failedJob at pay saying "no line"
  retries pay 3     | job pay has 3 retries, no incident, job pay due in 1m
  1m passes         | job pay has 2 retries, job pay due in 1m, Charge called 3 times
  1m passes         | job pay has 1 retries
  1m passes         | job pay dead, incident failedJob at pay, 2 incidents ever
  retries pay 1 due now  | instance ended, no incident, Charge called 7 times

story "new retries for all jobs of an element are for those that have none"
  delegate Charge: fails 3 times
  process p, camunda:  start -> pay{delegate Charge, async, retry "${cycle}"} -> end
  start p as dead {"cycle": "R1/PT1H"}      | dead: job pay dead, dead: incident at pay
  start p as also {"cycle": "R1/PT1H"}      | also: job pay dead
  start p as waits {"cycle": "R3/PT1H"}     | waits: job pay has 2 retries
  suspend jobs of pay                       | waits: job pay suspended
  retries 5 for jobs of pay                 | dead: job pay has 5 retries, also: job pay has 5 retries, waits: job pay has 2 retries, dead: no incident
  resume jobs of pay
  1h passes                                 | dead: instance ended, also: instance ended, waits: instance ended

story "a list of waits is walked by timers too"
  delegate Work: fails 3 times
  process p, camunda:  start -> wait{timer 10s, retry "PT1M,PT2M"} -> a{delegate Work} -> end
  start p        | job wait has 3 retries
  10s pass       | job wait has 2 retries, job wait due in 1m
  1m passes      | job wait has 1 retries, job wait due in 2m
  2m pass        | job wait dead, incident failedJob at wait
  execute wait   | instance ended

story "a list of waits on a boundary timer"
  delegate Work: fails 2 times
  process p, camunda:  start -> ask{user} -> end
                       ask @timer(10s, retry "PT1M, PT2M") -> a{delegate Work} -> end late
  start p        | job ask_timer has 3 retries
  10s pass       | job ask_timer has 2 retries, job ask_timer due in 1m, task at ask
  1m passes      | job ask_timer has 1 retries, job ask_timer due in 2m, task at ask
  2m pass        | instance ended at late

story "the cycle of a timer may be an expression"
  delegate Work: fails 2 times
  process p, camunda:  start -> wait{timer 10s, retry "${cycle}"} -> a{delegate Work} -> end
  start p {"cycle": "R5/PT7S"}   | job wait has 5 retries
  10s pass                       | job wait has 4 retries, job wait due in 7s
  set {"cycle": "PT1M,PT2M,PT3M"}
  7s pass                        | job wait has 3 retries, job wait due in 1m

story "a gateway has the cycle of its own"
  delegate Work: fails 2 times
  process p, camunda:  start -> f+{async, retry R4/PT7S} -> a{delegate Work} -> end
                       f -> end
  process q, camunda:  start -> x?[async, retry R4/PT9S]{true} -> a{delegate Work} -> end
                       x? -> end
  start p as p   | p: job f has 3 retries, p: job f due in 7s
  start q as q   | q: job x has 3 retries, q: job x due in 9s
  7s pass        | p: instance ended
  2s pass        | q: instance ended

story "what follows a receive task is tried again by its cycle, the message is not needed twice"
  delegate Work: fails
  process p, camunda:  start -> ask{receive paid, async after, retry R4/PT7S} -> a{delegate Work} -> end
  start p              | token at ask
  correlate paid       | job ask has 3 retries, job ask due in 7s
  7s pass              | instance ended

story "what follows a user task is tried again by its cycle, the task stays done"
  delegate Work: fails
  process p, camunda:  start -> ask{user, async after, retry R4/PT7S} -> a{delegate Work} -> end
  start p              | task at ask
  user completes ask   | no task at ask, job ask has 3 retries, job ask due in 7s
  7s pass              | instance ended

story "the job before a multi-instance is that of its body, whichever instance fails"
  delegate Work: succeeds, fails, succeeds 2 times
  process p, camunda:  start -> a{delegate Work, async, retry R2/PT1M, each items as item} -> end
  start p {"items": [1, 2]}   | 1 jobs a, job a has 1 retries, job a due in 1m, calls Work Work
  1m passes                   | instance ended, calls Work Work Work Work

story "each instance of a multi-instance uses up retries of its own"
  delegate Work: fails 3 times
  process p, camunda:  start -> a{delegate Work, retry R9/PT9M, each items as item, inner async, inner retry R2/PT5S} -> end
  start p {"items": [1, 2]}   | 2 jobs a, each job a has 1 retries, each job a due in 5s
  5s pass                     | 1 jobs a, job a dead, incident failedJob at a, Work called 4 times
  retries a 1 due now         | instance ended

story "instances of a sequential multi-instance are tried again in turn"
  delegate Work: fails, succeeds, fails
  process p, camunda:  start -> a{delegate Work, each items as item, one by one, inner async, inner retry R2/PT5S} -> end
  start p {"items": [1, 2]}   | 1 jobs a, job a has 1 retries
  5s pass                     | 1 jobs a, job a has 1 retries, job a due in 5s, Work called 3 times
  5s pass                     | instance ended, Work called 4 times

story "what follows each instance of a multi-instance has the inner cycle as well"
  delegate Work
  delegate After: fails
  process p, camunda:  start -> a{delegate Work, each items as item, inner async after, inner retry R2/PT5S} -> b{delegate After} -> end
  start p {"items": [1]}      | job a has 1 retries, job a due in 5s, calls Work After
  5s pass                     | instance ended, calls Work After After

story "a cycle without a number never ends"
  delegate Charge: fails 20 times
  process p, camunda:  start -> pay{delegate Charge, async, retry R/PT1M} -> end
  start p        | job pay has 2147483646 retries, job pay due in 1m
  20m pass       | instance ended, Charge called 21 times

story "a cycle of none allows one try"
  delegate Charge: fails
  process p, camunda:  start -> pay{delegate Charge, async, retry R0/PT5M} -> end
  start p        | job pay dead, Charge called once, incident failedJob at pay

story "the job of a signal thrown asynchronously goes by no cycle"
  engine failedJobRetryTimeCycle = R5/PT1H
  delegate Work: fails 2 times
  process thrower, camunda:  start -> shout{throw signal alarm, asynchronously} -> end
  process hearer, camunda:   start -> hear{signal alarm, retry R9/PT9M} -> a{delegate Work} -> end
  start hearer
  start thrower  | hearer: instance ended, Work called 3 times

story "a failure may be of an element behind the save point, and is told of the job"
  delegate A
  delegate B: fails "no line"
  process p, camunda:  start -> a{delegate A, async, retry R1/PT1M} -> b{delegate B} -> end
  start p        | job a dead, incident failedJob at a saying "no line", token at a, no token at b

story "an error that is caught costs no retry"
  delegate Charge: throws POOR
  process p, camunda:  start -> pay{delegate Charge, async, retry R3/PT1M} -> end
                       pay @error(POOR) -> end poor
  start p        | instance ended at poor, Charge called once

story "Flowable's cycle counts on service tasks alone"
  delegate Work: fails 2 times
  process p, flowable:  start -> sub{call child, async, retry R5/PT7M} -> end
  process child, flowable:  start -> a{delegate Work} -> end
  process q, flowable:  start -> wait{timer 1m, retry R5/PT7M} -> a{delegate Work} -> end
  start p as p   | p: job sub has 2 retries, p: job sub due in 10s
  10s pass       | p: job sub has 1 retries
  10s pass       | p: instance ended
  delegate Work: fails
  start q as q   | q: job wait has 3 retries
  1m passes      | q: job wait has 2 retries, q: job wait due in 10s

story "Flowable's cycle of one allows one try, whatever its wait"
  delegate Charge: fails
  process p, flowable:  start -> pay{delegate Charge, async, retry R1/PT7M} -> end
  start p        | job pay dead, Charge called once, incident deadLetter at pay

story "Flowable's cycle may be an expression"
  delegate Charge: fails 2 times
  process p, flowable:  start -> pay{delegate Charge, async, retry "${cycle}"} -> end
  start p {"cycle": "R2/PT5M"}   | job pay has 1 retries, job pay due in 5m
  5m pass                        | job pay dead

story "a failed timer of Flowable waits from the moment it was due"
  delegate Work: fails
  process p, flowable:  start -> wait{timer 1m} -> a{delegate Work} -> end
  start p             | job wait due in 1m
  the clock jumps 1m4s  | job wait has 2 retries, job wait due in 6s
  6s pass             | instance ended

story "with the first failure a job has the tries of its cycle, whatever it was given before"
  delegate Work: fails 9 times
  engine executor off
  process p, camunda:  start -> a{delegate Work, async, retry R3/PT1M} -> end
  start p            | job a has 3 retries
  retries a 7        | job a has 7 retries
  execute a          | rejected, job a has 2 retries, job a due in 1m

story "an expression may give a list of waits"
  delegate Work: fails 3 times
  process p, camunda:  start -> a{delegate Work, async, retry "${first}"} -> end
  start p {"first": "PT1M,PT5M"}   | job a has 2 retries, job a due in 1m
  1m passes                        | job a has 1 retries, job a due in 5m
  5m pass                          | job a dead

story "a cycle that is none any more lets the rest of the tries follow at once"
  delegate Work: fails 3 times
  process p, camunda:  start -> a{delegate Work, async, retry "${cycle}"} -> end
  start p {"cycle": "R3/PT1M"}   | job a has 2 retries, job a due in 1m
  set {"cycle": "never"}
  1m passes                      | job a dead, Work called 3 times

story "of instances one by one those that are done are not done again"
  delegate Work: succeeds, fails, succeeds 2 times
  process p, camunda:  start -> a{delegate Work, each items as item, one by one, inner async, inner retry R2/PT5S} -> end
  start p {"items": [1, 2, 3]}   | job a has 1 retries, job a due in 5s, Work called 2 times
  5s pass                        | instance ended, Work called 4 times

story "a repetition goes on while a firing of it is tried again"
  delegate Nag: fails 1 times
  process p, camunda:  start -> ask{user} -> end
                       ask @timer(R3/PT10M, alongside, retry R2/PT1M) -> n{delegate Nag} -> end nagged
  start p          | 1 jobs ask_timer
  10m pass         | Nag called once, task at ask
  1m passes        | Nag called 2 times
  9m pass          | Nag called 3 times
  10m pass         | Nag called 4 times, job ask_timer gone
  user completes ask  | instance ended

story "a task that waits at its save point has no boundary events yet"
  delegate Work: fails 3 times
  process p, camunda:  start -> a{delegate Work, async} -> end
                       a @timer(1h) -> end late
  start p        | job a dead, incident failedJob at a
  1h passes      | instance lives, incident failedJob at a

story "an incident ends with its instance and stays in history"
  delegate Work: fails 3 times
  process p, camunda:  start -> a{delegate Work, async} -> end
  start p        | incident failedJob at a, 1 incidents ever
  cancel         | instance cancelled, no incident, 1 incidents ever

story "taking the retries away twice opens one incident, and running the job by hand ends it"
  engine executor off
  delegate Work
  process p, camunda:  start -> a{delegate Work, async} -> end
  start p
  retries a 0    | job a dead, incident failedJob at a
  retries a 0    | job a dead, 1 incidents ever
  execute a      | instance ended, no incident

story "an incident is told of in all that called its instance, and ends with them"
  delegate Work: fails 3 times
  process p, camunda:  start -> sub{call q} -> end
  process q, camunda:  start -> sub{call r} -> end
  process r, camunda:  start -> a{delegate Work, async} -> end
  start p        | r: incident failedJob at a, q: incident failedJob at sub, p: incident failedJob at sub
  cancel p       | p: instance cancelled, r: instance cancelled, p: no incident

story "a failure that no try can mend uses up all retries"
  delegate A: gives up "broken"
  process p, camunda:  start -> a{delegate A, async, retry R5/PT1M} -> end
  start p          | job a dead, incident failedJob at a saying "broken"
  retries a 1 due now | instance ended

story "one failed instance of a multi-instance holds up its end, and new retries let it go on"
  delegate A: succeeds, fails, succeeds
  process p, camunda:  start -> a{delegate A, each items as item, inner async, inner retry R1/PT1M} -> end
  start p {"items": [1, 2, 3]}   | 1 jobs a, job a dead, incident failedJob at a
  retries a 2 due now            | instance ended

story "a list of waits goes on after a restart where it was"
  delegate A: fails 4 times
  process p, camunda:  start -> a{delegate A, async, retry "PT1M,PT2M,PT3M"} -> end
  start p          | job a due in 1m
  1m passes        | job a due in 2m
  restart
  2m pass          | job a due in 3m, job a has 1 retries

story "the engine's cycle that holds at a failure is the one it has then"
  engine cycle R3/PT1M
  delegate A: fails 9 times
  process p, camunda:  start -> a{delegate A, async} -> end
  start p          | job a has 2 retries, job a due in 1m
  restart with cycle R5/PT7M
  1m passes        | job a has 1 retries, job a due in 7m

story "an error that a boundary event catches is no failure of the job"
  delegate A: throws POOR
  process p, camunda:  start -> a{delegate A, async, retry R3/PT1M} -> end
                       a @error(POOR) -> b{user} -> end poor
  start p         | task at b, no incident, A called once

story "an instance that is cancelled is not tried again"
  delegate A: fails
  process p, camunda:  start -> a{delegate A, async, retry R3/PT1H} -> end
  start p         | job a due in 1h
  cancel          | instance cancelled, job a gone
  2h pass         | A called once

story "a boundary timer ends the tries of what is inside"
  delegate A: fails 9 times
  process p, camunda:  start -> w{user} -> sub{subprocess} -> end
                       in sub: start -> a{delegate A, async, retry R9/PT10M} -> end
                       sub @timer(25m) -> end late
  start p
  user completes w   | job a due in 10m
  25m pass           | instance ended at late, A called 3 times

story "an incident ends with its job that is deleted"
  delegate A: fails 3 times
  process p, camunda:  start -> a{delegate A, async} -> end
  start p         | job a dead, incident failedJob at a
  delete job a    | job a gone, no incident, 1 incidents ever, token at a

story "Flowable's save point after a task does not repeat the task"
  delegate A
  delegate B: fails
  process p, flowable:  start -> a{delegate A, async after} -> b{delegate B} -> end
  start p          | A called once, B called once, job a due in 10s
  10s pass         | instance ended, A called once, B called 2 times

story "a call that fails behind its save point leaves no called instance"
  delegate A: fails 3 times
  process p, camunda:  start -> c{call q, async} -> end
  process q, camunda:  start -> a{delegate A} -> end
  start p          | A called 3 times, job c dead, incident at c, 0 instances of q
  retries c 1      | instance ended, 1 instances of q

story "new retries for a kind of job do not touch those that wait"
  delegate A: fails 4 times
  process p, camunda:  start -> a{delegate A, async, retry R2/PT10M} -> end
  start p as one   | one: job a due in 10m, one: job a has 1 retries
  5m pass
  start p as two   | two: job a due in 10m
  5m pass          | one: job a dead, two: job a due in 5m
  retries 5 for jobs of a   | one: job a has 5 retries, two: job a has 1 retries

story "an incident that is opened by taking retries away is closed by giving some, each time anew"
  engine executor off
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  start p          | job a waits
  retries a 0      | job a dead, incident at a
  retries a 1      | job a waits, no incident
  retries a 0      | job a dead, incident at a, 2 incidents ever
  retries a 1      | no incident

story "a dead job that gets a due date stays dead, and waits for it when it has retries"
  engine executor off
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  start p
  retries a 0      | job a dead
  due a in 10m     | job a dead
  retries a 1      | job a due in 10m

story "a suspended job that is executed by hand and fails has its wait when it is resumed"
  engine executor off
  delegate Pay: fails
  process p, camunda:  start -> pay{delegate Pay, async, retry R3/PT5M} -> end
  start p           | job pay waits
  suspend job pay   | job pay suspended
  execute pay       | rejected, job pay suspended, job pay has 2 retries
  resume job pay    | job pay due in 5m
  executor starts   | Pay called once
  5m pass           | instance ended, Pay called 2 times

story "worker jobs have the engine's number of retries"
  engine asyncExecutorNumberOfRetries = 5
  process p, flowable:  start -> a{service mail} -> end
  start p                            | job mail has 5 retries

story "retries below zero are refused for a kind of jobs"
  delegate A: fails 3 times
  process p, camunda:  start -> a{delegate A, async} -> end
  start p                      | job a dead
  retries -1 for jobs of a     | rejected, job a dead
  retries 1 for jobs of a      | instance ended
