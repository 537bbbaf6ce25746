# Priorities of jobs: where they come from, and who may change them.

story "a job that nobody gives a priority has 0"
  engine executor off
  delegate Work
  process p, camunda:  start -> a{delegate Work, async} -> end
  start p        | job a has priority 0

story "all jobs of a process have its priority"
  engine executor off
  delegate Work
  process p, camunda, priority 8:  start -> f+ -> a{delegate Work, async} -> end
                                   f -> wait{timer 10m} -> end
                                   f -> ask{user} -> end
                                   ask @timer(1h) -> end late
  start p        | job a has priority 8, job wait has priority 8, job ask_timer has priority 8

story "the priority of an element beats that of its process"
  engine executor off
  delegate Work
  process p, camunda, priority 8:  start -> f+ -> a{delegate Work, async, priority 100} -> end
                                   f -> b{delegate Work, async} -> end
                                   f -> wait{timer 10m, priority -3} -> end
                                   f -> ask{user} -> end
                                   ask @timer(1h, priority 4) -> end late
  start p        | job a has priority 100, job b has priority 8, job wait has priority -3, job ask_timer has priority 4

story "an expression gives each instance of an element a priority of its own"
  engine executor off
  delegate Work
  process p, camunda:  start -> a{delegate Work, async, priority "${status == 'VIP' ? 10 : 0}"} -> end
  start p as kim {"status": "VIP"}     | kim: job a has priority 10
  start p as max {"status": "casual"}  | max: job a has priority 0

story "an expression gives each instance of a process a priority of its own"
  engine executor off
  delegate Work
  process p, camunda, priority "${order.priority}":  start -> a{delegate Work, async} -> end
  start p as one {"order": {"priority": 7}}    | one: job a has priority 7
  start p as two {"order": {"priority": -7}}   | two: job a has priority -7

story "a priority that is no number stops whoever would make the job"
  engine executor off
  delegate Work
  process p, camunda:  start -> ask{user} -> a{delegate Work, async, priority "${urgency}"} -> end
  process q, camunda:  start -> a{delegate Work, async, priority "${urgency}"} -> end
  start q {"urgency": "high"}          | rejected, 0 instances of q
  start p {"urgency": "high"}          | task at ask
  user completes ask                   | rejected, task at ask
  set {"urgency": 3}
  user completes ask                   | job a has priority 3

story "a priority whose expression cannot be computed is 0"
  engine executor off
  delegate Work
  process p, camunda:  start -> a{delegate Work, async, priority "${missing}"} -> end
  start p        | job a has priority 0

story "priorities have 64 bits and may be below zero"
  engine executor off
  delegate Work
  process p, camunda:  start -> f+ -> a{delegate Work, async, priority 9223372036854775807} -> end
                       f -> b{delegate Work, async, priority -9223372036854775808} -> end
                       f -> c{delegate Work, async, priority "${n}"} -> end
  start p {"n": 5000000000}            | job a has priority 9223372036854775807, job b has priority -9223372036854775808, job c has priority 5000000000

story "a priority is computed once and stays"
  engine executor off
  delegate Work
  process p, camunda:  start -> a{delegate Work, async, priority "${urgency}"} -> end
  start p {"urgency": 3}   | job a has priority 3
  set {"urgency": 9}       | job a has priority 3
  restart                  | job a has priority 3

story "a failed job keeps its priority"
  delegate Work: fails 2 times
  process p, camunda:  start -> a{delegate Work, async, priority "${urgency}", retry R3/PT1M} -> end
  start p {"urgency": 3}   | job a due in 1m, job a has priority 3
  set {"urgency": 9}
  1m passes                | job a due in 1m, job a has priority 3

story "an engine that is told so ignores all priorities"
  engine executor off, producePrioritizedJobs = false
  delegate Work
  process p, camunda, priority 8:  start -> f+ -> a{delegate Work, async, priority 100} -> end
                                   f -> wait{timer 10m} -> end
  start p        | job a has priority 0, job wait has priority 0

story "a called instance takes the priority it is given as a variable"
  engine executor off
  delegate Work
  process parent, camunda:  start -> sub{call child, in urgency = urgency} -> end
  process child, camunda, priority "${urgency}":  start -> a{delegate Work, async} -> end
  start parent {"urgency": 12}         | child: job a has priority 12

story "the priority of a multi-instance is that of its body and of each instance"
  engine executor off
  delegate Work
  process p, camunda:  start -> a{delegate Work, async, priority 6, each items as item, inner async} -> end
  start p {"items": [1, 2]}   | 1 jobs a, job a has priority 6
  execute a                   | 2 jobs a, each job a has priority 6

story "an overriding priority holds for new jobs, whatever the model says"
  engine executor off
  delegate Work
  process p, camunda, priority 8:  start -> a{delegate Work, async, priority 100} -> end
  start p as before        | before: job a has priority 100
  override a to 0          | before: job a has priority 100
  start p as after         | after: job a has priority 0, before: job a has priority 100

story "an overriding priority may be given to the jobs there are as well"
  engine executor off
  delegate Work
  process p, camunda:  start -> f+ -> a{delegate Work, async, priority 100} -> end
                       f -> b{delegate Work, async, priority 100} -> end
  start p as before          | before: job a has priority 100
  override a to 7 with jobs  | before: job a has priority 7, before: job b has priority 100
  start p as after           | after: job a has priority 7, after: job b has priority 100

story "when an overriding priority is cleared new jobs have the model's again"
  engine executor off
  delegate Work
  process p, camunda:  start -> a{delegate Work, async, priority 100} -> end
  override a to 7
  start p as during        | during: job a has priority 7
  clear override a         | during: job a has priority 7
  start p as after         | after: job a has priority 100, during: job a has priority 7

story "an overriding priority is there after a restart"
  engine executor off
  delegate Work
  process p, camunda:  start -> a{delegate Work, async, priority 100} -> end
  override a to 7
  restart
  start p                  | job a has priority 7

story "the timers of an event have an overriding priority of their own"
  engine executor off
  process p, camunda:  start -> ask{user} -> end
                       ask @timer(1h, priority 4) -> end late
  override ask_timer to 11
  start p                  | job ask_timer has priority 11

story "a single job is given another priority"
  engine executor off
  delegate Work
  process p, camunda:  start -> a{delegate Work, async, priority 5} -> end
  start p as one
  start p as two
  prioritise a 50 of one   | one: job a has priority 50, two: job a has priority 5
  prioritise a -1 of one   | one: job a has priority -1

story "Zeebe gives worker jobs the priority of the model"
  process p:  start -> a{service pay, priority 7} -> end
  start p        | job pay has priority 7

story "workers get jobs of higher priority first"
  process p, camunda:  start -> a{service pay, priority "${n}"} -> end
  start p as low {"n": 1}
  start p as high {"n": 2}
  worker anna takes pay    | got pay with {"n": 2}
  worker anna takes pay    | got pay with {"n": 1}

story "the override comes before the element, the element before the process, and that before 0"
  engine executor off
  delegate Work
  process p, camunda, priority 8:  start -> f+ -> a{delegate Work, async, priority 100} -> end
                                   f -> b{delegate Work, async} -> end
                                   f -> c{delegate Work, async, priority 100} -> end
                                   f -> d{delegate Work, async} -> end
  process q, camunda:  start -> e{delegate Work, async} -> end
  override c to 3
  override d to -5
  start p as p         | p: job a has priority 100, p: job b has priority 8, p: job c has priority 3, p: job d has priority -5
  start q as q         | q: job e has priority 0
  override e of q to 4
  start q as r         | r: job e has priority 4, q: job e has priority 0
  clear override c
  clear override d
  start p as later     | later: job c has priority 100, later: job d has priority 8, p: job c has priority 3

story "gateways, receive tasks, subprocesses and save points after an element have priorities too"
  engine executor off
  delegate Work
  process p, camunda, priority 8:  start -> f+{async, priority 5} -> ask{receive paid, async, async after, priority "${n + 1}"} -> end
                                   f -> sub{subprocess, async, priority 3} -> x?[async, priority -1] -> end
                                   f -> a{delegate Work, async after} -> end
                                   in sub: start -> b{delegate Work, async} -> end
  start p {"n": 1}   | job f has priority 5
  execute f          | job ask has priority 2, job sub has priority 3, job a has priority 8
  execute ask        | token at ask
  correlate paid     | job ask has priority 2
  execute sub        | job b has priority 8
  execute b          | job x has priority -1

story "the priority of a timer may be an expression, and that of each repetition is the first one's"
  process p, camunda:  start -> ask{user} -> end
                       ask @timer(R3/PT10M, alongside, priority "${n}") -> end nagged
  start p {"n": 4}   | job ask_timer has priority 4
  set {"n": 9}
  10m pass           | job ask_timer has priority 4

story "a called instance has the priority of its own model and not its caller's"
  engine executor off
  delegate Work
  process parent, camunda, priority 12:  start -> sub{call child, async} -> end
  process child, camunda:  start -> a{delegate Work, async} -> end
  start parent         | parent: job sub has priority 12
  execute sub          | child: job a has priority 0

story "an engine that ignores priorities ignores overriding ones too"
  engine executor off, producePrioritizedJobs = false
  delegate Work
  process p, camunda:  start -> a{delegate Work, async, priority 100} -> end
  override a to 7
  start p        | job a has priority 0

story "an overriding priority is given to jobs that wait, have failed or are suspended as well"
  delegate Work: fails 4 times
  process p, camunda:  start -> a{delegate Work, async, retry "${cycle}", priority 100} -> end
  start p as waits {"cycle": "R3/PT1H"}      | waits: job a due in 1h
  start p as dead {"cycle": "R1/PT1H"}       | dead: job a dead
  start p as parked {"cycle": "R3/PT1H"}     | parked: job a due in 1h
  suspend parked                             | parked: job a suspended
  override a to 7 with jobs                  | waits: job a has priority 7, dead: job a has priority 7, parked: job a has priority 7
  retries a 1 due now of dead                | dead: job a dead, dead: job a has priority 7

story "an overriding priority is that of one version"
  engine executor off
  delegate Work
  process p, camunda:  start -> a{delegate Work, async, priority 1} -> end
  process p, camunda:  start -> a{delegate Work, async, priority 2} -> end
  start p version 1 as old     | old: job a has priority 1
  start p as latest            | latest: job a has priority 2
  override a to 7 with jobs    | latest: job a has priority 7, old: job a has priority 1
  start p version 1 as older   | older: job a has priority 1

story "the job of a signal thrown asynchronously has the priority of who waits for it"
  engine executor off
  process thrower, camunda, priority 50:  start -> shout{throw signal alarm, asynchronously} -> end
  process hearer, camunda, priority 8:    start -> hear{signal alarm, priority 3} -> end
  process other, camunda, priority 8:     start -> hear{signal alarm} -> end
  start hearer as one
  start other as two
  start thrower        | one: job hear has priority 3, two: job hear has priority 8

story "an overriding priority takes a job out of the range of a node, and back"
  engine priorities 10 to 20
  delegate Work
  process p, camunda, priority 15:  start -> a{delegate Work, async} -> end
  override a to 5
  start p as one           | one: job a waits
  override a to 12         | one: job a waits
  override a to 12 with jobs   | one: instance ended

story "the priority of a process is computed when a job is made, from what is known then"
  engine executor off
  delegate Rate: succeeds {"urgency": 40}
  delegate Work
  process p, camunda, priority "${urgency}":  start -> rate{delegate Rate} -> a{delegate Work, async} -> end
  start p {"urgency": 1}   | job a has priority 40

story "an overriding priority of zero is one, and may be cleared twice"
  engine executor off
  delegate Work
  process p, camunda, priority 30:  start -> a{delegate Work, async} -> end
  override a to 0 with jobs
  start p as one           | one: job a has priority 0
  clear override a
  clear override a
  start p as two           | two: job a has priority 30, one: job a has priority 0

story "a priority given to one job outlives its failure and an overriding one for new jobs"
  delegate Work: fails
  process p, camunda:  start -> a{delegate Work, async, priority 5, retry R3/PT1M} -> end
  start p                  | job a has priority 5
  prioritise a 77          | job a has priority 77
  override a to 3          | job a has priority 77
  1m passes                | instance ended

story "a called instance has the overriding priority of its own element, not of its caller"
  engine executor off
  delegate Work
  process parent, camunda, priority 9:  start -> sub{call child} -> end
  process child, camunda, priority 2:   start -> a{delegate Work, async} -> end
  override a of child to 60
  start parent      | child: job a has priority 60

story "an overriding priority for new jobs does not bring a job that waits into the range"
  engine priorities 10 to 20
  delegate Work
  process p, camunda:  start -> a{delegate Work, async, priority 15} -> b{delegate Work, async, priority 25} -> end
  start p                | job b waits, Work called once
  override b to 20       | job b waits
  prioritise b 20        | instance ended

story "a decimal number is no priority"
  engine executor off
  delegate A
  process p, camunda:  start -> a{delegate A, async, priority "${n}"} -> end
  start p {"n": 2.5}   | rejected, 0 instances of p

story "what follows a boundary event has a priority of its own"
  engine executor off
  delegate A
  process p, camunda:  start -> ask{user} -> end
                       ask @message(cancelled) -> a{delegate A, async, priority 4} -> end gone
  start p
  correlate cancelled   | job a waits, job a has priority 4, no task at ask
  executor starts       | instance ended at gone

story "the next of a repetition has the priority that its timer was given by hand, and all its tries"
  delegate Nag: fails
  process p, camunda:  start -> ask{user} -> end
                       ask @timer(R3/PT10M, alongside, priority 3, retry R4/PT1M) -> n{delegate Nag} -> end nagged
  start p               | job ask_timer has 4 retries
  prioritise ask_timer 8
  10m pass              | 2 jobs ask_timer, each job ask_timer has priority 8
  1m passes             | 1 jobs ask_timer, job ask_timer has 4 retries, job ask_timer has priority 8

story "an overriding priority for new jobs is none for the next of a repetition"
  delegate A
  process p, camunda:  start -> ask{user} -> end
                       ask @timer(R3/10s, alongside, priority 3) -> x{delegate A} -> end other
  start p                     | job ask_timer has priority 3
  override ask_timer to 9     | job ask_timer has priority 3
  10s pass                    | A called once, job ask_timer has priority 3

story "with an overriding priority for all jobs the next of a repetition has it"
  delegate A
  process p, camunda:  start -> ask{user} -> end
                       ask @timer(R3/10s, alongside, priority 3) -> x{delegate A} -> end other
  start p                               | job ask_timer has priority 3
  override ask_timer to 9 with jobs     | job ask_timer has priority 9
  10s pass                              | A called once, job ask_timer has priority 9

story "a priority given to a suspended job counts when it is resumed"
  engine executor off, executor.by_priority = true
  delegate A
  delegate B
  process p, camunda:  start -> a{delegate A, async} -> end
  process q, camunda:  start -> b{delegate B, async} -> end
  start p as one
  start q as two
  suspend job b of two
  prioritise b 9 of two    | two: job b has priority 9
  resume job b of two
  executor starts          | calls B A

story "an overriding priority that is cleared stays with the jobs it was given to"
  delegate A: fails
  process p, camunda:  start -> a{delegate A, async, retry R3/PT10M, priority 1} -> b{user, async, priority 2} -> end
  override a to 7
  start p          | job a has priority 7
  clear override a | job a has priority 7
  10m pass         | token at b

story "a node that takes no such priority leaves what follows to others"
  engine executor.priority_min = 5, executor.by_priority = true
  node low executor.priority_min = -100, executor.priority_max = 4
  delegate A
  delegate B
  process p, camunda:  start -> a{delegate A, async, priority 9} -> b{delegate B, async, priority 1} -> end
  start p          | instance ended, low ran B

story "an engine that is told nothing goes by age"
  delegate A
  delegate B
  process p, camunda:  start -> f+ -> a{delegate A, async, priority 3} -> end
                       f -> b{delegate B, async, priority 5} -> end
  start p                            | calls A B
