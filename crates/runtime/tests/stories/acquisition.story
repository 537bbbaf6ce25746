# Which jobs are taken, and in which order.

story "jobs are taken by priority, the oldest first among equals"
  engine executor off, by priority
  delegate Low
  delegate High
  delegate Mid
  process low, camunda, priority 1:  start -> a{delegate Low, async} -> end
  process mid, camunda, priority 5:  start -> a{delegate Mid, async} -> end
  process high, camunda, priority 9:  start -> a{delegate High, async} -> end
  start low
  start mid
  start high
  start mid as mid2
  start high as high2
  executor starts    | calls High High Mid Mid Low

story "a priority given by hand counts at once"
  engine executor off, by priority
  delegate A
  delegate B
  process p, camunda, priority 1:  start -> a{delegate A, async} -> end
  process q, camunda, priority 2:  start -> b{delegate B, async} -> end
  start p
  start q
  prioritise a 3
  executor starts    | calls A B

story "an overriding priority moves the jobs that wait"
  engine executor off, by priority
  delegate Slow
  delegate Other
  process p, camunda:  start -> pay{delegate Slow, async, priority 50} -> end
  process q, camunda:  start -> b{delegate Other, async, priority 10} -> end
  start p
  start q
  override pay to 0 with jobs
  executor starts    | calls Other Slow

story "without an order the oldest goes first"
  engine executor off
  delegate A
  delegate B
  delegate C
  process p, camunda, priority 1:  start -> a{delegate A, async} -> end
  process q, camunda, priority 9:  start -> b{delegate B, async} -> end
  process r, camunda, priority 5:  start -> c{delegate C, async} -> end
  start p
  start q
  start r
  executor starts    | calls A B C

story "timers may go before other jobs"
  engine executor off, timers first
  delegate Async
  delegate Timer
  process p, camunda:  start -> a{delegate Async, async} -> end
  process q, camunda:  start -> wait{timer 1s} -> b{delegate Timer} -> end
  start p
  start q
  1s passes          | job wait due in 0ms
  executor starts    | calls Timer Async

story "jobs may go by due date, and a job without one is due when it was made"
  engine executor off, by due date
  delegate Early
  delegate Late
  delegate Now
  process early, camunda:  start -> wait{timer 10s} -> a{delegate Early} -> end
  process late, camunda:   start -> wait{timer 30s} -> a{delegate Late} -> end
  process now, camunda:    start -> a{delegate Now, async} -> end
  start late
  start early
  20s pass
  start now          | job a waits
  20s pass
  executor starts    | calls Early Now Late

story "by due date every job has one from the beginning"
  engine executor off, by due date
  delegate Now
  process p, camunda:  start -> a{delegate Now, async} -> end
  start p            | job a waits, job a has a due date

story "priority counts more than the kind of job, and that more than its due date"
  engine executor off, by priority, timers first, by due date
  delegate HighAsync
  delegate LowTimer
  delegate LowAsync
  delegate LowLateTimer
  process p, camunda:  start -> a{delegate LowAsync, async, priority 1} -> end
  process q, camunda:  start -> wait{timer 20s, priority 1} -> b{delegate LowLateTimer} -> end
  process r, camunda:  start -> wait{timer 10s, priority 1} -> c{delegate LowTimer} -> end
  process s, camunda:  start -> d{delegate HighAsync, async, priority 2} -> end
  start p
  start q
  start r
  start s
  20s pass
  executor starts    | calls HighAsync LowTimer LowLateTimer LowAsync

story "timers first and then by due date"
  engine executor off, timers first, by due date
  delegate Async1
  delegate Async2
  delegate Timer1
  delegate Timer2
  process p, camunda:  start -> a{delegate Async1, async, priority 99} -> end
  process q, camunda:  start -> a{delegate Async2, async} -> end
  process r, camunda:  start -> wait{timer 20s} -> c{delegate Timer2} -> end
  process s, camunda:  start -> wait{timer 10s} -> d{delegate Timer1} -> end
  start r
  start s
  start p
  1s passes
  start q
  20s pass
  executor starts    | calls Timer1 Timer2 Async1 Async2

story "a timer that is due goes before an asynchronous job of lower priority"
  engine executor off, by priority
  delegate Low
  delegate High
  process p, camunda:  start -> a{delegate Low, async, priority 1} -> end
  process q, camunda:  start -> wait{timer 10s, priority 9} -> b{delegate High} -> end
  start p
  start q
  10s pass
  executor starts    | calls High Low

story "with aging a timer that is due goes before what came long after it"
  engine executor off, aging 10s
  delegate Late
  delegate Early
  process p, camunda:  start -> a{delegate Late, async, priority 1} -> end
  process q, camunda:  start -> wait{timer 10s, priority 1} -> b{delegate Early} -> end
  start q
  20s pass
  start p
  executor starts    | calls Early Late

story "with aging a job that has waited long enough goes before one of higher priority"
  engine executor off, aging 10s
  delegate Old
  delegate New
  process p, camunda:  start -> a{delegate Old, async, priority 1} -> end
  process q, camunda:  start -> b{delegate New, async, priority 3} -> end
  start p as first
  19s pass
  start q as second
  executor starts    | calls New Old
  executor stops
  start p as third
  21s pass
  start q as fourth
  executor starts    | calls New Old Old New

story "only jobs within the range of priorities are taken, both ends included"
  engine priorities 10 to 20
  delegate Work
  process p, camunda, priority "${n}":  start -> a{delegate Work, async} -> end
  start p as p9 {"n": 9}      | p9: job a waits
  start p as p10 {"n": 10}    | p10: instance ended
  start p as p20 {"n": 20}    | p20: instance ended
  start p as p21 {"n": 21}    | p21: job a waits
  prioritise a 15 of p9       | p9: instance ended
  prioritise a 20 of p21      | p21: instance ended

story "without a range every priority is taken"
  delegate Work
  process p, camunda, priority "${n}":  start -> a{delegate Work, async} -> end
  start p as least {"n": -9223372036854775808}   | least: instance ended
  start p as none {"n": 0}                       | none: instance ended
  start p as most {"n": 9223372036854775807}     | most: instance ended

story "a range may have one end only"
  engine jobExecutorPriorityRangeMin = 10
  delegate Work
  process p, camunda, priority "${n}":  start -> a{delegate Work, async} -> end
  start p as p9 {"n": 9}      | p9: job a waits
  start p as big {"n": 9223372036854775807}   | big: instance ended

story "the other end"
  engine jobExecutorPriorityRangeMax = 10
  delegate Work
  process p, camunda, priority "${n}":  start -> a{delegate Work, async} -> end
  start p as p11 {"n": 11}    | p11: job a waits
  start p as p-2 {"n": -2}    | p-2: instance ended

story "the range holds with an order by priority as well"
  engine priorities 10 to 20, by priority
  delegate Work
  process p, camunda, priority "${n}":  start -> a{delegate Work, async} -> end
  start p as p9 {"n": 9}      | p9: job a waits
  start p as p15 {"n": 15}    | p15: instance ended

story "a timer outside of the range stays although it is due"
  engine priorities 10 to 20
  delegate Work
  process p, camunda:  start -> wait{timer 10s, priority 5} -> a{delegate Work} -> end
  start p
  10s pass                    | token at wait, Work called 0 times
  prioritise wait 10          | instance ended

story "only jobs of the categories that are named are taken, and none without one"
  engine categories red blue
  delegate Work
  process p, flowable:  start -> a{delegate Work, async, category red} -> end
  process q, flowable:  start -> a{delegate Work, async, category green} -> end
  process r, flowable:  start -> a{delegate Work, async} -> end
  start p        | instance ended
  start q        | job a waits
  start r        | job a waits

story "a category may be computed, and a retry keeps it"
  engine categories red
  delegate Work: fails
  process p, flowable:  start -> a{delegate Work, async, category "${colour}"} -> end
  start p as red {"colour": "red"}       | red: job a due in 10s
  start p as blue {"colour": "blue"}     | blue: job a waits
  10s pass                               | red: instance ended, blue: job a waits

story "a job that is ready at once has no due date"
  engine executor off
  delegate Work
  process p, camunda:  start -> a{delegate Work, async} -> end
  start p        | job a has no due date

story "an engine that gives every job a due date takes none without one"
  engine executor off
  delegate Work
  process p, camunda:  start -> a{delegate Work, async} -> end
  start p as before                           | before: job a has no due date
  start p as never                            | never: job a has no due date
  restart with executor off, ensureJobDueDateNotNull = true
  start p as after                            | after: job a has a due date
  retries a 3 due now of before               | before: job a has a due date
  start p as third
  look                                        | never: job a has no due date, third: job a has a due date
  executor starts                             | before: instance ended, after: instance ended, third: instance ended, never: job a waits
  due a now of never                          | never: instance ended

story "a job whose due date is taken away is not taken by an engine that gives every job one"
  engine executor off, ensureJobDueDateNotNull = true
  delegate Work
  process p, camunda:  start -> a{delegate Work, async} -> end
  start p                | job a has a due date
  due a never            | job a has no due date
  executor starts        | job a waits, Work called 0 times
  retries a 3            | job a waits, Work called 0 times
  retries a 3 due never  | instance ended

story "a job without retries is not taken"
  engine executor off
  delegate Work
  process p, camunda:  start -> a{delegate Work, async} -> end
  start p
  retries a 0            | job a failed, incident failedJob at a
  executor starts        | job a failed, Work called 0 times
  retries a 1            | instance ended, no incident

story "a job that is not due is not taken, and one that becomes due is"
  delegate Work
  process p, camunda:  start -> wait{timer 10m} -> a{delegate Work} -> end
  start p                | job wait due in 10m
  9m59s pass             | nothing
  1s passes              | instance ended

story "a job whose due date is moved runs when that says"
  delegate Work
  process p, camunda:  start -> wait{timer 10m} -> a{delegate Work} -> end
  start p
  due wait in 1h         | job wait due in 1h
  10m pass               | job wait due in 50m
  due wait now           | instance ended

story "a job that is locked by a worker is nobody else's until its lock runs out"
  process p, camunda:  start -> a{service pay} -> end
  start p
  worker anna takes pay for 5m   | got pay, job pay locked by anna
  worker ben takes pay           | got nothing
  5m1s pass
  worker ben takes pay           | got pay, job pay locked by ben

story "two nodes run every job once"
  node b
  delegate Work
  process p, camunda:  start -> a{delegate Work, async} -> b{delegate Work, async nonexclusive} -> end
  start p as one     | instance ended
  start p as two     | instance ended
  start p as three   | instance ended, Work called 6 times

story "each node runs the jobs of its own range"
  engine priorities up to 100
  node b priorities 101 to 9223372036854775807
  delegate Low
  delegate High
  process p, camunda:  start -> a{delegate Low, async, priority 100} -> b{delegate High, async, priority 101} -> c{delegate Low, async, priority 0} -> end
  start p            | instance ended, story ran Low Low, b ran High

story "a job in a gap between the ranges of all nodes is never run"
  engine priorities 0 to 100
  node b priorities 200 to 9223372036854775807
  delegate Work
  process p, camunda, priority "${n}":  start -> a{delegate Work, async} -> end
  start p as lost {"n": 150}     | lost: job a waits
  start p as found {"n": 200}    | found: instance ended, lost: job a waits
  prioritise a 100 of lost       | lost: instance ended

story "each node runs the jobs of its own categories"
  engine categories red
  node b categories blue
  delegate Red
  delegate Blue
  process p, flowable:  start -> a{delegate Red, async, category red} -> b{delegate Blue, async, category blue} -> end
  start p            | instance ended, story ran Red, b ran Blue

story "a node whose executor is off leaves the jobs it makes to others"
  engine executor off
  node b executor.active = true
  delegate Work
  process p, camunda:  start -> a{delegate Work, async} -> end
  start p            | instance ended, story ran, b ran Work

story "a timer outside of the range of priorities waits, whatever it leads to"
  engine priorities from 10
  process p, camunda:  start -> wait{timer 10s, priority 5} -> ask{user} -> end
  start p
  10s pass             | token at wait
  prioritise wait 10   | token at ask

story "a timer of a category that is not taken waits, whatever it leads to"
  engine categories blue
  process p, flowable:  start -> wait{timer 10s, category red} -> ask{user} -> end
  process q, flowable:  start -> wait{timer 10s, category blue} -> ask{user} -> end
  start p
  start q
  10s pass             | p: token at wait, q: token at ask

story "each node fires the timers of its own range"
  engine priorities up to 100
  node b priorities 101 to 9223372036854775807
  process p, camunda, priority "${n}":  start -> wait{timer 10s} -> ask{user} -> end
  start p as low {"n": 100}
  start p as high {"n": 101}
  10s pass             | low: token at ask, high: token at ask

story "by priority and by due date: equal priorities go by due date, whatever their kind"
  engine executor off, by priority, by due date
  delegate EarlyTimer
  delegate LateTimer
  delegate Now
  delegate High
  process p, camunda, priority 5:  start -> w{timer 10s} -> a{delegate EarlyTimer} -> end
  process q, camunda, priority 5:  start -> w{timer 30s} -> a{delegate LateTimer} -> end
  process r, camunda, priority 5:  start -> a{delegate Now, async} -> end
  process s, camunda, priority 6:  start -> a{delegate High, async} -> end
  start q
  start p
  20s pass
  start r
  20s pass
  start s
  executor starts    | calls High EarlyTimer Now LateTimer

story "by priority and timers first: a timer overtakes older jobs of equal priority"
  engine executor off, by priority, timers first
  delegate Old
  delegate Timer
  delegate High
  process p, camunda, priority 5:  start -> a{delegate Old, async} -> end
  process q, camunda, priority 5:  start -> w{timer 10s} -> a{delegate Timer} -> end
  process r, camunda, priority 7:  start -> a{delegate High, async} -> end
  start p
  start q
  10s pass
  start r
  executor starts    | calls High Timer Old

story "a failed job that has waited is no timer where timers go first"
  engine timers first
  delegate Bad: fails
  delegate Other
  delegate Timer
  process p, camunda:  start -> a{delegate Bad, async, retry R3/PT10S} -> end
  process q, camunda:  start -> a{delegate Other, async} -> end
  process r, camunda:  start -> w{timer 10s} -> a{delegate Timer} -> end
  start p            | job a due in 10s
  executor stops
  start q
  start r
  20s pass
  executor starts    | calls Bad Timer Bad Other

story "a due date moved by hand counts for the order"
  engine executor off, by due date
  delegate A
  delegate B
  process p, camunda:  start -> w{timer 10s} -> a{delegate A} -> end
  process q, camunda:  start -> w{timer 20s} -> a{delegate B} -> end
  start p as p
  start q as q
  due w in 1s of q
  30s pass
  executor starts    | calls B A

story "the lowest and the highest priority there can be are in order"
  engine executor off, by priority
  delegate Low
  delegate Zero
  delegate High
  process l, camunda, priority -9223372036854775808:  start -> a{delegate Low, async} -> end
  process z, camunda:  start -> a{delegate Zero, async} -> end
  process h, camunda, priority 9223372036854775807:  start -> a{delegate High, async} -> end
  start l
  start z
  start h
  executor starts    | calls High Zero Low

story "a job whose retries were taken away is overtaken, and runs when it gets new ones"
  engine executor off, by priority
  delegate A
  delegate B
  process p, camunda, priority 1:  start -> a{delegate A, async} -> end
  process q, camunda, priority 2:  start -> b{delegate B, async} -> end
  start p as p
  start q as q
  retries b 0 of q       | q: job b dead
  executor starts        | calls A
  retries b 1 of q       | calls A B

story "three nodes with a range each fire their own timers and run what follows"
  engine priorities up to 9
  node b priorities 10 to 19
  node c priorities 20 to 9223372036854775807
  delegate A
  process p, camunda, priority "${n}":  start -> wait{timer 10s} -> a{delegate A, async} -> end
  start p as one {"n": 5}
  start p as two {"n": 15}
  start p as three {"n": 25}
  10s pass   | one: instance ended, two: instance ended, three: instance ended, story ran A, b ran A, c ran A

story "with aging equals go by age"
  engine executor off, aging 1m
  delegate A
  delegate B
  process p, camunda, priority 1:  start -> a{delegate A, async} -> end
  process q, camunda, priority 1:  start -> b{delegate B, async} -> end
  start q
  start p
  executor starts  | calls B A

story "a category that is computed to nothing is none"
  engine categories red
  delegate Work
  process p, flowable:  start -> a{delegate Work, async, category "${c}"} -> end
  start p as none {"c": ""}    | none: job a waits
  start p as red {"c": "red"}  | red: instance ended

story "an engine that is told no categories takes all jobs"
  engine categories
  delegate Work
  process p, flowable:  start -> a{delegate Work, async, category red} -> b{delegate Work, async} -> end
  start p            | instance ended

story "a start timer is run by the node of its category"
  engine categories blue
  process p, flowable:  start{timer 10s, category blue} -> a{user} -> end
  10s pass                           | 1 instances of p

story "a start timer of another category waits"
  engine categories blue
  process p, flowable:  start{timer 10s, category red} -> a{user} -> end
  1m passes                          | 0 instances of p

story "what a worker brings keeps the category its job was made with"
  engine categories blue
  process p, flowable:  start -> a{service mail, category "${c}"} -> end
  start p {"c": "blue"}
  set {"c": "red"}
  worker w takes mail                | got mail
  worker w completes mail            | instance ended

story "the check of a parallel multi-instance has the category of its task"
  engine categories blue
  process p, flowable:  start -> a{service mail, category blue, each items as item} -> ask{user} -> end
  start p {"items": [1, 2]}
  worker w takes mail
  worker w completes mail            | 1 jobs mail, 0 jobs a

story "jobs of suspensions to come have no category"
  engine categories blue
  process p, flowable:  start -> a{user} -> end
  suspend process p in 10m
  10m pass
  start p                            | task at a

story "start timers outside of the range of priorities wait"
  engine priorities from 5
  process p, flowable:  start{timer 10s} -> a{user} -> end
  1m passes                          | 0 instances of p
