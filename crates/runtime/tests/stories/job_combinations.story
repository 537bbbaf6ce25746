# Combinations of priorities, retries, suspension, exclusivity, incidents and deployments.

story "an override with jobs reaches the suspended jobs of one process and not those of its caller"
  engine executor off
  delegate A
  process parent, camunda, priority 3:  start -> f+ -> sub{call child} -> end
                            f -> a{delegate A, async} -> end
  process child, camunda, priority 4:   start -> a{delegate A, async} -> end
  start parent as parent          | parent: job a has priority 3, child: job a has priority 4
  suspend jobs of a of child      | child: job a suspended
  override a of child to 9 with jobs  | child: job a has priority 9, parent: job a has priority 3, child: job a suspended
  override a of parent to -9 with jobs  | child: job a has priority 9, parent: job a has priority -9
  clear override a of child
  resume jobs of a of child       | child: job a waits, child: job a has priority 9

story "two tries that are due at the same moment go by priority"
  engine by priority
  delegate A: fails
  delegate B: fails
  process p, camunda:  start -> a{delegate A, async, priority 1, retry R3/PT1M} -> end
  process q, camunda:  start -> b{delegate B, async, priority 9, retry R3/PT1M} -> end
  start p as one    | one: job a due in 1m
  start q as two    | two: job b due in 1m
  the clock jumps 2m  | calls A B B A

story "an override changes the order of tries that wait"
  engine by priority
  delegate A: fails
  delegate B: fails
  process p, camunda:  start -> a{delegate A, async, priority 1, retry R3/PT1M} -> end
  process q, camunda:  start -> b{delegate B, async, priority 9, retry R3/PT1M} -> end
  start p as one    | one: job a due in 1m
  start q as two    | two: job b due in 1m
  override a of p to 50 with jobs   | one: job a has priority 50
  the clock jumps 2m  | calls A B A B

story "a priority outlives suspension at every level, and may be given at each"
  engine executor off
  delegate A
  process p, camunda:  start -> a{delegate A, async, priority 5} -> end
  start p
  prioritise a 6
  suspend
  override a to 7 with jobs   | job a has priority 7
  suspend jobs of a
  resume
  suspend process p with instances
  prioritise a 8              | job a has priority 8, job a suspended
  resume process p with instances | job a has priority 8, job a waits

story "a try that has left the range of priorities waits until it is back"
  engine priorities from 5
  delegate A: fails
  process p, camunda:  start -> a{delegate A, async, priority 7, retry R3/PT1M} -> end
  start p        | job a due in 1m
  prioritise a 1
  1m passes      | A called once
  prioritise a 5 | instance ended

story "an instance of a multi-instance does not go by the cycle of its body"
  delegate Work: fails 3 times
  process p, camunda:  start -> a{delegate Work, retry R9/PT9M, each items as item, inner async} -> end
  start p {"items": [1]}   | job a dead, Work called 3 times

story "body, instances and what follows have each the cycle of their own"
  engine executor off
  delegate Work: fails 2 times
  process p, camunda:  start -> a{delegate Work, async, async after, retry R7/PT7M, each items as item, inner async, inner retry "PT1S,PT2S"} -> end
  start p {"items": [1, 2]}   | 1 jobs a, job a has 7 retries
  execute a                   | 2 jobs a, each job a has 3 retries
  executor starts             | 2 jobs a, each job a has 2 retries, each job a due in 1s
  executor stops
  1s passes
  execute a
  execute a                   | 1 jobs a, job a has 7 retries

story "new retries without a due date are due at once where jobs always have one, also of a suspended job"
  engine due dates always
  delegate A: fails
  process p, camunda:  start -> a{delegate A, async, retry R3/PT1H} -> end
  start p                  | job a due in 1h
  suspend job a
  retries a 4 due never    | job a suspended, job a has 4 retries, job a has a due date
  10m pass
  resume job a             | instance ended

story "a list with a wait that cannot be read has its number of tries, and that wait is none"
  delegate A: fails 3 times
  process p, camunda:  start -> a{delegate A, async, retry "${cycle}"} -> end
  start p {"cycle": "PT1M,foo"}    | job a has 2 retries, job a due in 1m
  1m passes                        | job a dead, A called 3 times

story "a dead firing of a repetition that is executed by hand begins no series of its own"
  delegate Nag: fails 1 times
  process p, camunda:  start -> ask{user} -> end
                       ask @timer(R3/PT10M, alongside, retry R1/PT1M) -> n{delegate Nag} -> end nagged
  start p            | 1 jobs ask_timer
  10m pass           | 2 jobs ask_timer, incident failedJob at ask_timer, Nag called once
  execute ask_timer  | 1 jobs ask_timer, Nag called 2 times, no incident
  10m pass           | Nag called 3 times, 1 jobs ask_timer
  10m pass           | Nag called 4 times, job ask_timer gone
  1h passes          | Nag called 4 times

story "each firing of a repetition that fails has tries and an incident of its own"
  delegate Nag: fails 9 times
  process p, camunda:  start -> ask{user} -> end
                       ask @timer(R3/PT10M, alongside, retry R2/PT1M) -> n{delegate Nag} -> end nagged
  start p
  10m pass      | 2 jobs ask_timer, Nag called once
  10m pass      | 3 jobs ask_timer, Nag called 3 times
  10m pass      | 3 jobs ask_timer, Nag called 5 times
  10m pass      | 3 jobs ask_timer, Nag called 6 times, 3 incidents ever

story "new retries take up the list of waits where their number says"
  delegate A: fails 9 times
  process p, camunda:  start -> a{delegate A, async, retry "PT1M,PT2M,PT3M"} -> end
  start p                  | job a due in 1m, job a has 3 retries
  retries a 1 due in 10s   | job a due in 10s
  10s pass                 | job a dead, job a has 0 retries
  retries a 2 due now      | job a has 1 retries, job a due in 3m
  retries a 3 due now      | job a has 2 retries, job a due in 2m
  retries a 4 due now      | job a has 3 retries, job a due in 1m

story "an incident of a called instance is told of in a caller that is suspended, and ends there too"
  delegate A: fails 3 times
  process p, camunda:  start -> sub{call q} -> end
  process q, camunda:  start -> wait{timer 1m} -> a{delegate A, async} -> end
  start p as p
  suspend p
  1m passes      | q: incident failedJob at a, p: incident failedJob at sub
  retries a 1 due in 10m of q   | q: no incident, p: no incident

story "a caller is told of each incident of the instance it called"
  delegate A: fails 6 times
  process p, camunda:  start -> sub{call q} -> end
  process q, camunda:  start -> f+ -> a{delegate A, async} -> end
                       f -> b{delegate A, async} -> end
  start p as p    | q: incident failedJob at a, q: incident failedJob at b, p: incident failedJob at sub, p: 2 incidents ever
  retries a 1 of q  | q: incident failedJob at b, p: incident failedJob at sub
  retries b 1 of q  | p: instance ended, p: no incident, p: 2 incidents ever

story "a suspended job that loses its retries has an incident, and loses it with new ones"
  engine executor off
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  start p
  suspend job a
  retries a 0    | job a suspended, job a has 0 retries, incident failedJob at a
  retries a 1    | job a suspended, no incident

story "each instance of a multi-instance that has failed has an incident"
  delegate A: fails 2 times
  process p, camunda:  start -> a{delegate A, each items as item, inner async, inner retry R1/PT1M} -> end
  start p {"items": [1, 2]}   | 2 jobs a, each job a dead, 2 incidents ever, incident failedJob at a
  execute a                   | 1 jobs a, incident failedJob at a
  execute a                   | instance ended, no incident

story "in a suspended process one kind of job is resumed by itself"
  delegate A
  delegate B
  process p, camunda:  start -> ask{user} -> a{delegate A, async} -> b{delegate B, async} -> end
  start p
  suspend process p
  resume jobs of a
  user completes ask     | job a gone, job b suspended, calls A
  resume jobs of b       | instance ended

story "a kind of job is resumed with its process, and jobs that were made meanwhile are not"
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  suspend jobs of a
  start p as one         | one: job a suspended
  suspend process p
  resume process p       | one: job a suspended
  start p as two         | two: instance ended, one: job a suspended
  resume process p with instances  | one: instance ended

story "a repetition that was missed in a suspended instance fires once and keeps its dates"
  delegate A
  process p, camunda:  start -> ask{user} -> end
                       ask @timer(R5/PT10M, alongside) -> x{delegate A} -> end other
  start p
  suspend
  35m pass           | A called 0 times
  resume             | A called once, job ask_timer due in 5m
  5m pass            | A called 2 times
  10m pass           | A called 3 times, job ask_timer gone

story "a failed firing and the next of its repetition are suspended and resumed together"
  delegate A: fails
  process p, camunda:  start -> ask{user} -> end
                       ask @timer(R3/PT10M, alongside, retry R3/PT1M) -> x{delegate A} -> end other
  start p
  10m pass             | 2 jobs ask_timer
  suspend              | each job ask_timer suspended
  25m pass             | A called once
  resume               | A called 3 times

story "over hierarchies the turn passes on when the called instance that has it is ended"
  engine executor off, exclusive over hierarchies
  delegate A
  process parent, camunda:  start -> f+ -> sub{call child} -> end
                            f -> a{delegate A, async} -> end
                            sub @message(stop) -> c{delegate A, async} -> end stopped
  process child, camunda:   start -> b{delegate A, async} -> end
  start parent as parent    | child: job b waits, parent: job a parked
  correlate stop            | child: instance cancelled, parent: job a waits, parent: job c parked
  executor starts           | parent: instance ended

story "over hierarchies a suspended called instance gives up its turn and queues again"
  engine executor off, exclusive over hierarchies
  delegate A
  process parent, camunda:  start -> f+ -> sub{call child} -> end
                            f -> a{delegate A, async} -> end
  process child, camunda:   start -> b{delegate A, async} -> end
  start parent as parent    | child: job b waits, parent: job a parked
  suspend child             | child: job b suspended, parent: job a waits
  resume child              | child: job b parked, parent: job a waits
  execute a of parent       | child: job b waits
  executor starts           | parent: instance ended

story "a queue by priority passes over suspended and dead jobs, and takes them back in their place"
  engine executor off, by priority
  delegate A
  delegate B
  delegate C
  process p, camunda:  start -> f+ -> a{delegate A, async, priority 3} -> end
                       f -> b{delegate B, async, priority 2} -> end
                       f -> c{delegate C, async, priority 1} -> end
  start p                  | job a waits, job b parked, job c parked
  suspend job a            | job b waits
  retries b 0              | job b dead, job c waits
  prioritise b 9           | job b dead, job c waits
  resume job a             | job a waits, job c parked
  retries b 1              | job b waits, job a parked, job c parked
  executor starts          | calls B A C

story "a repetition goes on at the node that knows its deployment by then"
  engine deployment aware
  node b
  delegate A
  process p, camunda:  start -> ask{user} -> end
                       ask @timer(R4/PT10M, alongside) -> x{delegate A, async} -> end other
  start p
  10m pass          | story ran A, b ran
  unregister p
  register p on b
  10m pass          | story ran A, b ran A
  unregister p on b
  10m pass          | story ran A, b ran A
  register p        | story ran A A, b ran A

story "over three levels a queue by priority passes over a suspended instance in the middle"
  engine executor off, by priority, exclusive over hierarchies
  delegate A
  delegate B
  delegate C
  process p, camunda:  start -> f+ -> sub{call q} -> end
                       f -> a{delegate A, async, priority 1} -> end
  process q, camunda:  start -> g+ -> sub{call r} -> end
                       g -> b{delegate B, async, priority 9} -> end
  process r, camunda:  start -> c{delegate C, async, priority 5} -> end
  start p as p        | q: job b waits, r: job c parked, p: job a parked
  suspend q           | q: job b suspended, r: job c waits, p: job a parked
  suspend jobs of c of r  | r: job c suspended, p: job a waits
  resume q            | q: job b waits, p: job a parked
  resume jobs of c of r   | r: job c parked
  executor starts     | p: instance ended, calls B C A
