# Exclusive jobs: of one instance never two at a time.

story "jobs of one instance are exclusive unless the model says otherwise"
  engine executor off
  delegate A
  process p, camunda:  start -> f+ -> a{delegate A, async} -> j+ -> end
                       f -> b{delegate A, async} -> j
                       f -> c{delegate A, async} -> j
  start p        | job a waits, job b parked, job c parked
  execute a      | job b waits, job c parked
  execute b      | job c waits
  execute c      | instance ended

story "jobs that are not exclusive do not wait for one another"
  engine executor off
  delegate A
  process p, camunda:  start -> f+ -> a{delegate A, async nonexclusive} -> j+ -> end
                       f -> b{delegate A, async nonexclusive} -> j
                       f -> c{delegate A, async} -> j
  start p        | job a waits, job b waits, job c waits
  executor starts  | instance ended, A called 3 times

story "jobs of different instances do not wait for one another"
  engine executor off
  delegate A
  process p, camunda:  start -> f+ -> a{delegate A, async} -> end
                       f -> b{delegate A, async} -> end
  start p as one   | one: job a waits, one: job b parked
  start p as two   | two: job a waits, two: job b parked
  execute a of two | two: job b waits, one: job b parked
  executor starts  | one: instance ended, two: instance ended

story "timers are exclusive too"
  engine executor off
  delegate A
  process p, camunda:  start -> f+ -> a{timer 10s} -> x{delegate A} -> end
                       f -> b{delegate A, async} -> end
  start p          | job b waits, job a due in 10s
  10s pass
  executor starts  | instance ended, A called 2 times

story "save points after a task are exclusive too"
  engine executor off
  delegate A
  process p, camunda:  start -> f+ -> a{delegate A, async after} -> end
                       f -> b{delegate A, async after} -> end
                       f -> c{delegate A, async after nonexclusive} -> end
  start p        | A called 3 times, job a waits, job b parked, job c waits

story "a join is passed once however its branches end"
  delegate A
  delegate After
  process p, camunda:  start -> f+ -> a{delegate A, async nonexclusive} -> j+ -> x{delegate After} -> end
                       f -> b{delegate A, async nonexclusive} -> j
                       f -> c{delegate A, async nonexclusive} -> j
  start p        | instance ended, A called 3 times, After called once

story "a join may have a save point of its own"
  engine executor off
  delegate A
  process p, camunda:  start -> f+ -> a{delegate A, async} -> j+{async} -> end
                       f -> b{delegate A, async} -> j
  start p        | job a waits, job b parked
  execute a      | job b waits, job j parked
  executor starts  | instance ended

story "a failing exclusive job lets the others go while it waits"
  delegate A: fails
  delegate B
  process p, camunda:  start -> f+ -> a{delegate A, async, retry R3/PT1M} -> j+ -> end
                       f -> b{delegate B, async} -> j
  start p        | calls A B, job a due in 1m, job b gone
  1m passes      | instance ended

story "a dead exclusive job holds up no other"
  delegate A: fails 3 times
  delegate B
  process p, camunda:  start -> f+ -> a{delegate A, async, retry R1/PT1M} -> end
                       f -> b{delegate B, async} -> end
  start p        | job a dead, job b gone, calls A B

story "a suspended exclusive job holds up no other, and queues again when it is resumed"
  engine executor off
  delegate A
  process p, camunda:  start -> f+ -> a{delegate A, async} -> end
                       f -> b{delegate A, async} -> end
  start p        | job a waits, job b parked
  suspend job a  | job a suspended, job b waits
  resume job a   | job a parked, job b waits
  executor starts  | instance ended

story "a deleted exclusive job lets the next one go"
  engine executor off
  delegate A
  process p, camunda:  start -> f+ -> a{delegate A, async} -> end
                       f -> b{delegate A, async} -> end
  start p        | job a waits, job b parked
  delete job a   | job a gone, job b waits

story "exclusive jobs go by priority among themselves when the executor does"
  engine executor off, by priority
  delegate A
  delegate B
  delegate C
  process p, camunda:  start -> f+ -> a{delegate A, async, priority 1} -> end
                       f -> b{delegate B, async, priority 3} -> end
                       f -> c{delegate C, async, priority 2} -> end
  start p
  executor starts  | instance ended, A called once, B called once, C called once

story "called instances do not wait for one another unless the engine says so"
  engine executor off
  delegate A
  process parent, camunda:  start -> sub{call child, each items as item} -> end
  process child, camunda:  start -> a{delegate A, async} -> end
  start parent {"items": [1, 2]}
  executor starts  | parent: instance ended, A called 2 times

story "exclusive jobs of a whole hierarchy wait for one another when the engine says so"
  engine executor off, jobExecutorAcquireExclusiveOverProcessHierarchies = true
  delegate A
  process parent, camunda:  start -> f+ -> one{call first} -> j+ -> end
                            f -> two{call second} -> j
                            f -> a{delegate A, async} -> j
  process first, camunda:   start -> b{delegate A, async} -> end
  process second, camunda:  start -> c{delegate A, async} -> end
  start parent     | first: job b waits, second: job c parked, parent: job a parked
  execute b        | second: job c waits, parent: job a parked
  execute c        | parent: job a waits
  execute a        | parent: instance ended

story "without that each instance of a hierarchy has a queue of its own"
  engine executor off
  delegate A
  process parent, camunda:  start -> f+ -> one{call first} -> j+ -> end
                            f -> two{call second} -> j
                            f -> a{delegate A, async} -> j
  process first, camunda:   start -> b{delegate A, async} -> end
  process second, camunda:  start -> c{delegate A, async} -> end
  start parent     | first: job b waits, second: job c waits, parent: job a waits
  executor starts  | parent: instance ended

story "Flowable's jobs are exclusive as well, and a loser waits its turn instead of the next look"
  engine executor off
  delegate A
  process p, flowable:  start -> f+ -> a{delegate A, async} -> end
                        f -> b{delegate A, async} -> end
                        f -> c{delegate A, async nonexclusive} -> end
  start p          | job a waits, job b parked, job c waits
  executor starts  | instance ended
