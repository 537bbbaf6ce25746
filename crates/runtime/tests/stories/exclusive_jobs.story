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
                       f -> ask{user} -> end
                       ask @timer(10s) -> end late
  start p          | job b waits, job a due in 10s
  fire a           | job a parked, job b waits
  fire ask_timer   | job ask_timer parked, job a parked
  execute b        | job a waits, job ask_timer parked
  execute a        | job ask_timer waits
  execute ask_timer  | instance ended

story "timers that are not exclusive wait for nobody"
  engine executor off
  delegate A
  process p, camunda:  start -> f+ -> a{timer 10s, nonexclusive} -> end
                       f -> b{delegate A, async} -> end
                       f -> ask{user} -> end
                       ask @timer(10s, nonexclusive) -> end late
  start p          | job b waits, job a due in 10s
  fire a           | job a waits, job b waits
  fire ask_timer   | job ask_timer waits, job a waits

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

story "exclusive jobs of one instance go by priority when the executor does"
  engine executor off, by priority
  delegate A
  delegate B
  delegate C
  delegate D
  process p, camunda:  start -> f+ -> a{delegate A, async, priority 1} -> end
                       f -> b{delegate B, async, priority 3} -> end
                       f -> c{delegate C, async, priority 2} -> end
                       f -> d{delegate D, async, priority 3} -> end
  start p          | job b waits, job a parked, job c parked, job d parked
  executor starts  | instance ended, calls B D C A

story "exclusive jobs of one instance go by age when the executor does not go by priority"
  engine executor off
  delegate A
  delegate B
  delegate C
  process p, camunda:  start -> f+ -> a{delegate A, async, priority 1} -> end
                       f -> b{delegate B, async, priority 3} -> end
                       f -> c{delegate C, async, priority 2} -> end
  start p          | job a waits, job b parked, job c parked
  executor starts  | instance ended, calls A B C

story "equal exclusive jobs go by age, also those that were overtaken"
  engine executor off, by priority
  delegate A
  delegate B
  delegate C
  delegate D
  process p, camunda:  start -> f+ -> a{delegate A, async} -> end
                       f -> b{delegate B, async} -> end
                       f -> c{delegate C, async, priority 9} -> end
                       f -> d{delegate D, async} -> end
  start p          | job c waits, job a parked, job b parked, job d parked
  executor starts  | instance ended, calls C A B D

# Camunda's acquisition sorts all that are ready, and only a locked one keeps others of its instance
# out: what nobody has locked has no claim to its turn.
story "an exclusive job that is given a higher priority goes before one that nobody has locked"
  engine executor off, by priority
  delegate A
  delegate B
  delegate C
  process p, camunda:  start -> f+ -> a{delegate A, async} -> end
                       f -> b{delegate B, async} -> end
                       f -> c{delegate C, async} -> end
  start p          | job a waits, job b parked, job c parked
  prioritise c 5   | job c waits, job a parked, job b parked
  restart          | job c waits, job a parked, job b parked
  executor starts  | instance ended, calls C A B

story "an exclusive job that is given a lower priority lets another go first"
  engine executor off, by priority
  delegate A
  delegate B
  delegate C
  process p, camunda:  start -> f+ -> a{delegate A, async, priority 5} -> end
                       f -> b{delegate B, async, priority 3} -> end
                       f -> c{delegate C, async, priority 4} -> end
  start p          | job a waits, job b parked, job c parked
  prioritise a 1   | job c waits, job a parked, job b parked
  executor starts  | instance ended, calls C B A

story "an override reaches exclusive jobs that wait their turn"
  engine executor off, by priority
  delegate A
  delegate B
  process p, camunda:  start -> f+ -> a{delegate A, async, priority 5} -> end
                       f -> b{delegate B, async, priority 3} -> end
  start p                      | job a waits, job b parked
  override b to 9 with jobs    | job b waits, job a parked
  executor starts              | instance ended, calls B A

story "an exclusive job that is made later goes before one that nobody has locked"
  engine executor off, by priority
  delegate A
  delegate B
  process p, camunda:  start -> f+ -> a{delegate A, async, priority 1} -> end
                       f -> get{receive paid} -> b{delegate B, async, priority 9} -> end
  start p          | job a waits
  correlate paid   | job b waits, job a parked
  executor starts  | instance ended, calls B A

story "due timers go before other exclusive jobs of the instance when timers come first"
  engine executor off, timers first
  delegate A
  delegate B
  process p, camunda:  start -> f+ -> a{delegate A, async} -> end
                       f -> wait{timer 10s} -> b{delegate B} -> end
  start p as one   | one: job a waits
  fire wait of one | one: job wait waits, one: job a parked
  start p as two   | two: job a waits
  10s pass         | two: job a waits, two: job wait due in 0s
  executor starts  | one: instance ended, two: instance ended, calls B B A A

story "exclusive jobs of one instance go by due date when the executor does"
  engine executor off, by due date
  delegate A
  delegate B
  delegate C
  process p, camunda:  start -> f+ -> a{delegate A, async} -> end
                       f -> b{delegate B, async} -> end
                       f -> c{delegate C, async} -> end
  start p          | job a waits, job b parked, job c parked
  1m passes
  due a now        | job b waits, job a parked, job c parked
  1s passes
  due b now        | job c waits, job a parked, job b parked
  executor starts  | instance ended, calls C A B

story "exclusive jobs of one instance grow older as all do"
  engine executor off, aging 10s
  delegate A
  delegate B
  delegate C
  process p, camunda:  start -> f+ -> a{delegate A, async} -> end
                       f -> get{receive soon} -> b{delegate B, async, priority 1} -> end
                       f -> ask{receive late} -> c{delegate C, async, priority 1} -> end
  start p           | job a waits
  9s pass
  correlate soon    | job b waits, job a parked
  2s pass
  correlate late    | job b waits, job c parked
  executor starts   | instance ended, calls B A C

story "over hierarchies all exclusive jobs of the tree go by priority"
  engine executor off, by priority, exclusive over hierarchies
  delegate A
  delegate B
  delegate C
  process parent, camunda:  start -> f+ -> a{delegate A, async, priority 1} -> end
                            f -> b{delegate B, async, priority 5} -> end
                            f -> sub{call child} -> end
  process child, camunda:   start -> c{delegate C, async, priority 9} -> end
  start parent     | child: job c waits, parent: job a parked, parent: job b parked
  executor starts  | parent: instance ended, calls C B A

story "over hierarchies a new priority counts in the whole tree"
  engine executor off, by priority, exclusive over hierarchies
  delegate A
  delegate B
  delegate C
  process parent, camunda:  start -> f+ -> a{delegate A, async, priority 3} -> end
                            f -> one{call first} -> end
                            f -> two{call second} -> end
  process first, camunda:   start -> b{delegate B, async, priority 2} -> end
  process second, camunda:  start -> c{delegate C, async, priority 1} -> end
  start parent              | parent: job a waits, first: job b parked, second: job c parked
  prioritise c 5 of second  | second: job c waits, parent: job a parked, first: job b parked
  prioritise b 4 of first   | second: job c waits, first: job b parked
  restart                   | second: job c waits, first: job b parked, parent: job a parked
  prioritise c 0 of second  | first: job b waits, second: job c parked, parent: job a parked
  executor starts           | parent: instance ended, calls B A C

story "a failed job that is tried at once keeps its place in the order"
  engine executor off, by priority
  delegate A: fails
  delegate B
  process p, camunda:  start -> f+ -> a{delegate A, async, priority 5} -> end
                       f -> b{delegate B, async, priority 1} -> end
  start p          | job a waits, job b parked
  executor starts  | instance ended, calls A A B

story "an exclusive job outside of the range of priorities holds up no other"
  engine priorities from 5
  delegate A
  delegate B
  delegate C
  process p, camunda:  start -> f+ -> a{delegate A, async, priority 1} -> end
                       f -> b{delegate B, async, priority 10} -> end
                       f -> c{delegate C, async, priority 7} -> end
  start p          | calls B C, job a waits
  prioritise a 5   | instance ended, calls B C A

story "one that becomes ready behind it runs as well"
  engine priorities from 5
  delegate A
  delegate B
  process p, camunda:  start -> f+ -> a{delegate A, async, priority 1} -> end
                       f -> get{receive paid} -> b{delegate B, async, priority 10} -> end
  start p          | job a waits
  correlate paid   | calls B, job a waits, job b gone

story "one that is left when its priority changes holds up no other"
  engine executor off, priorities from 5
  delegate A
  delegate B
  process p, camunda:  start -> f+ -> a{delegate A, async, priority 6} -> end
                       f -> b{delegate B, async, priority 10} -> end
  start p          | job a waits, job b parked
  prioritise a 1
  executor starts
  20s pass         | calls B, job a waits

story "an exclusive job of a category that is not taken holds up no other"
  engine categories blue
  delegate A
  delegate B
  process p, flowable:  start -> f+ -> a{delegate A, async, category red} -> end
                        f -> b{delegate B, async, category blue} -> end
  start p          | calls B, job a waits

story "over hierarchies an exclusive job of a deployment that is not registered holds up no other"
  engine executor off, deployment aware, exclusive over hierarchies
  delegate A
  delegate B
  process parent, camunda:  start -> f+ -> sub{call child} -> end
                            f -> b{delegate B, async} -> end
  process child, camunda:   start -> a{delegate A, async} -> end
  start parent      | child: job a waits, parent: job b parked
  unregister child
  executor starts
  20s pass          | calls B, child: job a waits
  register child    | parent: instance ended, calls B A

story "an exclusive job without a due date holds up no other where nobody takes it"
  engine executor off, due dates always
  delegate A
  delegate B
  process p, camunda:  start -> f+ -> a{delegate A, async} -> end
                       f -> b{delegate B, async} -> end
  start p          | job a waits, job b parked
  due a never
  executor starts
  20s pass         | calls B, job a waits, job a has no due date

story "exclusive jobs of one instance that different nodes take do not hold each other up"
  engine priorities up to 9
  node b executor off, priorities 10 to 19
  delegate A
  delegate B
  process p, camunda:  start -> f+ -> b{delegate B, async, priority 15} -> end
                       f -> a{delegate A, async, priority 5} -> end
  start p                | calls A, job b waits
  executor starts on b   | instance ended, calls A B

story "what follows an exclusive job goes by its priority as well"
  engine executor off, by priority
  delegate A
  delegate B
  delegate C
  process p, camunda:  start -> f+ -> a{delegate A, async, priority 5} -> c{delegate C, async, priority 9} -> end
                       f -> b{delegate B, async, priority 1} -> end
  start p          | job a waits, job b parked
  executor starts  | instance ended, calls A C B

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

story "branches that start at different moments wait for one another as well"
  engine executor off
  delegate A
  process p, camunda:  start -> f+ -> a{delegate A, async} -> a2{delegate A, async} -> j+ -> end
                       f -> b{delegate A, async} -> b2{delegate A, async} -> j
  start p        | job a waits, job b parked
  execute a      | job b waits, job a2 parked
  execute b      | job a2 waits, job b2 parked
  execute a2     | job b2 waits
  execute b2     | instance ended

story "a save point after an element waits for one before another"
  engine executor off
  delegate A
  process p, camunda:  start -> f+ -> a{delegate A, async after} -> end
                       f -> b{delegate A, async} -> end
                       f -> ask{receive paid, async after} -> end
  start p          | job a waits, job b parked
  correlate paid   | job ask parked, job b parked
  execute a        | job b waits, job ask parked
  execute b        | job ask waits
  execute ask      | instance ended

story "instances of a parallel multi-instance are exclusive"
  engine executor off
  delegate A
  process p, camunda:  start -> f+ -> a{delegate A, each items as item, inner async} -> end
                       f -> b{delegate A, async} -> end
  start p {"items": [1, 2]}   | 2 jobs a, job b parked
  execute a                   | 1 jobs a, job a waits, job b parked
  execute a                   | job b waits
  execute b                   | instance ended

story "exclusive jobs of a whole hierarchy wait down to grandchildren, timers among them"
  engine executor off, exclusive over hierarchies
  delegate A
  process parent, camunda:  start -> f+ -> sub{call child} -> j+ -> end
                            f -> a{delegate A, async} -> j
  process child, camunda:   start -> sub{call grandchild} -> end
  process grandchild, camunda:  start -> g+ -> wait{timer 10s} -> end
                                g -> c{delegate A, async nonexclusive} -> end
  start parent     | parent: job a waits, grandchild: job wait due in 10s, grandchild: job c waits
  fire wait        | grandchild: job wait parked
  execute a        | grandchild: job wait waits
  execute wait
  execute c        | parent: instance ended

story "a caller that goes on by a save point queues with its own jobs"
  engine executor off
  delegate A
  process parent, camunda:  start -> f+ -> sub{call child, async after} -> end
                            f -> a{delegate A, async} -> end
  process child, camunda:   start -> b{delegate A, async} -> end
  start parent     | parent: job a waits, child: job b waits
  execute b        | child: instance ended, parent: job sub parked, parent: job a waits
  execute a        | parent: job sub waits
  execute sub      | parent: instance ended

story "a retry queues again behind those that wait"
  delegate A: fails
  delegate B
  process p, camunda:  start -> f+ -> a{delegate A, async, retry R3/PT1M} -> end
                       f -> wait{timer 1m} -> b{delegate B} -> end
  start p          | job a due in 1m, calls A
  1m passes        | instance ended, A called 2 times, B called once

story "exclusive jobs of one instance run one at a time on two nodes"
  node b
  delegate A
  process p, camunda:  start -> f+ -> a{delegate A, async} -> j+ -> end
                       f -> b{delegate A, async} -> j
                       f -> c{delegate A, async} -> j
  start p          | instance ended, A called 3 times

story "external workers of one instance work at the same time, and what they bring is applied one after another"
  engine executor off
  process p, flowable:  start -> f+ -> a{service mail} -> end
                        f -> b{service print} -> end
  start p
  worker anna takes mail      | got mail
  worker ben takes print      | got print
  worker anna completes mail  | job a waits
  worker ben completes print  | job a waits, job b parked
  executor starts             | instance ended

story "what follows a job that is not exclusive queues behind those that wait"
  engine executor off
  delegate A
  process p, camunda:  start -> f+ -> a{delegate A, async} -> end
                       f -> b{delegate A, async} -> end
                       f -> c{delegate A, async nonexclusive} -> d{delegate A, async} -> end
  start p        | job a waits, job b parked, job c waits
  execute c      | job d parked, job b parked
  execute a      | job b waits, job d parked
  execute b      | job d waits

story "over hierarchies a failed job in its wait holds up no other instance"
  engine exclusive over hierarchies
  delegate Bad: fails
  delegate Good
  process parent, camunda:  start -> f+ -> sub{call child} -> j+ -> end
                            f -> a{delegate Good, async} -> j
  process child, camunda:   start -> b{delegate Bad, async, retry R2/PT1M} -> end
  start parent     | child: job b due in 1m, parent: job a gone, calls Bad Good
  1m passes        | parent: instance ended

story "over hierarchies a cancelled tree leaves nothing behind"
  engine executor off, exclusive over hierarchies
  delegate A
  process parent, camunda:  start -> f+ -> sub{call child} -> end
                            f -> a{delegate A, async} -> end
  process child, camunda:   start -> b{delegate A, async} -> end
  start parent as parent   | child: job b waits, parent: job a parked
  cancel parent            | parent: instance cancelled, child: instance cancelled

story "the queue of a suspended instance comes back in its order"
  engine executor off
  delegate A
  delegate B
  delegate C
  process p, camunda:  start -> f+ -> a{delegate A, async} -> end
                       f -> b{delegate B, async} -> end
                       f -> c{delegate C, async} -> end
  start p          | job a waits, job b parked, job c parked
  suspend          | job a suspended, job b suspended, job c suspended
  resume           | job a waits, job b parked, job c parked
  executor starts  | instance ended, calls A B C

story "a timer that fails lets the next one of its instance go"
  engine executor off
  delegate A: fails
  delegate B
  process p, camunda:  start -> f+ -> x{timer 10s, retry R3/PT5S} -> a{delegate A} -> end
                       f -> y{timer 12s} -> b{delegate B} -> end
  start p
  12s pass
  executor starts   | calls A B, job x due in 5s
  5s pass           | instance ended

story "a multi-instance has one job for all its instances where it has a save point before it"
  engine executor off
  delegate A
  process p, camunda:  start -> a{delegate A, async nonexclusive, each items as item} -> end
  start p {"items": [1, 2]}   | 1 jobs a, job a waits
  executor starts             | instance ended, A called 2 times

story "over hierarchies two nodes run one job at a time"
  engine exclusive over hierarchies
  node b
  delegate A
  process parent, camunda:  start -> sub{call child, each items as item} -> end
  process child, camunda:   start -> a{delegate A, async} -> b{delegate A, async} -> end
  start parent {"items": [1, 2, 3]}   | parent: instance ended, A called 6 times

story "a failing exclusive job of Flowable lets the others go while it waits"
  delegate A: fails
  delegate B
  process p, flowable:  start -> f+ -> a{delegate A, async} -> end
                        f -> b{delegate B, async} -> end
  start p          | calls A B, job a due in 10s
  10s pass         | instance ended

story "the job that a worker holds parks no other"
  engine executor off
  delegate A
  process p, camunda:  start -> f+ -> w{service pay} -> end
                       f -> a{delegate A, async} -> end
  start p
  worker anna takes pay   | got pay, job a waits
  executor starts         | job a gone

story "a parked job of a suspended kind is passed, and queues again when it is resumed"
  engine executor off
  delegate A
  process p, camunda:  start -> f+ -> a{delegate A, async} -> end
                       f -> b{delegate A, async} -> end
                       f -> c{delegate A, async} -> end
  start p               | job a waits, job b parked, job c parked
  suspend jobs of b     | job b suspended, job c parked
  execute a             | job b suspended, job c waits
  resume jobs of b      | job b parked, job c waits
  execute c             | job b waits

story "a parked job whose retries are taken away is passed, and queues again with new ones"
  engine executor off
  delegate A
  process p, camunda:  start -> f+ -> a{delegate A, async} -> end
                       f -> b{delegate A, async} -> end
                       f -> c{delegate A, async} -> end
  start p          | job a waits, job b parked, job c parked
  retries b 0      | job b dead, incident at b
  execute a        | job c waits
  retries b 2      | job b parked, job b has 2 retries, no incident
  execute c        | job b waits

story "a parked job that gets a due date is passed, and queues again when it is due"
  engine executor off
  delegate A
  process p, camunda:  start -> f+ -> a{delegate A, async} -> end
                       f -> b{delegate A, async} -> end
                       f -> c{delegate A, async} -> end
  start p          | job a waits, job b parked, job c parked
  due b in 10m     | job b due in 10m
  execute a        | job c waits
  due b now        | job b parked
  execute c        | job b waits
  due b in 10m     | job b due in 10m
  executor starts  | job b due in 10m
  10m pass         | instance ended

story "a parked job that is deleted leaves the queue"
  engine executor off
  delegate A
  process p, camunda:  start -> f+ -> a{delegate A, async} -> end
                       f -> b{delegate A, async} -> end
                       f -> c{delegate A, async} -> end
  start p          | job a waits, job b parked, job c parked
  delete job b     | job b gone, job c parked
  execute a        | job c waits

story "exclusive jobs keep their order over a restart"
  engine executor off
  delegate A
  process p, camunda:  start -> f+ -> a{delegate A, async} -> end
                       f -> b{delegate A, async} -> end
                       f -> c{delegate A, async} -> end
  start p          | job a waits, job b parked, job c parked
  restart          | job a waits, job b parked, job c parked
  execute a        | job b waits, job c parked

story "the holder of the queue that gets a due date lets the next one go"
  engine executor off
  delegate A
  process p, camunda:  start -> f+ -> a{delegate A, async} -> end
                       f -> b{delegate A, async} -> end
  start p          | job a waits, job b parked
  due a in 10m     | job a due in 10m, job b waits
  due a never      | job a parked, job b waits

story "over hierarchies on two nodes every job has its turn"
  engine deployment aware, exclusive over hierarchies
  node b
  delegate A
  delegate B
  process p, camunda:  start -> f+ -> sub{call q} -> end
                       f -> a{delegate A, async} -> end
  process q, camunda:  start -> b{delegate B, async} -> d{delegate B, async} -> end
  unregister q
  register q on b
  start p as p
  1h passes        | p: instance ended, A called once, B called 2 times

story "over hierarchies a job that nobody here takes holds up no other"
  engine deployment aware, exclusive over hierarchies
  delegate A
  process p, camunda:  start -> f+ -> sub{call q} -> end
                       f -> a{delegate A, async} -> end
  process q, camunda:  start -> b{delegate A, async} -> end
  unregister q
  start p as p      | p: job a gone, q: job b waits

story "exclusivity over hierarchies is switched off while jobs wait for their turn"
  engine executor off, exclusive over hierarchies
  delegate A
  process parent, camunda:  start -> f+ -> sub{call child} -> end
                            f -> a{delegate A, async} -> end
  process child, camunda:   start -> c{delegate A, async} -> end
  start parent as parent    | child: job c waits, parent: job a parked
  restart with executor off
  executor starts           | parent: instance ended, A called 2 times
