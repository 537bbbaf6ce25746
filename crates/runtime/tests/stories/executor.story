# The executor itself: on, off, by hand; what makes jobs.

story "a job is made by a save point and by a timer, and nothing else runs it but the executor"
  engine executor off
  delegate Work
  process p, camunda:  start -> f+ -> a{delegate Work, async} -> end
                       f -> wait{timer 10m} -> end
  start p            | job a waits, job wait due in 10m, Work called 0 times
  1h passes          | job a waits, token at wait
  executor starts    | instance ended, Work called once

story "a stopped executor takes nothing more until it is started again"
  delegate Work
  process p, camunda:  start -> a{delegate Work, async} -> end
  start p as one     | one: instance ended
  executor stops
  start p as two     | two: job a waits
  executor stops     | nothing
  executor starts    | two: instance ended

story "an executor that is off stays off after a restart"
  engine executor off
  delegate Work
  process p, camunda:  start -> a{delegate Work, async} -> end
  start p            | job a waits
  restart            | job a waits
  executor starts    | instance ended

story "a job is executed by hand"
  engine executor off
  delegate Work: succeeds {"n": 1}
  process p, camunda:  start -> a{delegate Work, async} -> b{delegate Work, async} -> end
  start p            | job a waits
  execute a          | job a gone, job b waits, variable n = 1, Work called once
  execute a          | rejected: job not found
  execute b          | instance ended

story "a job executed by hand need not be due"
  engine executor off
  process p, camunda:  start -> wait{timer 10m} -> end
  start p            | job wait due in 10m
  execute wait       | instance ended

story "a job executed by hand may be suspended, and have no retries"
  delegate Work: fails 3 times
  process p, camunda:  start -> a{delegate Work, async} -> end
  start p            | job a failed, incident at a
  suspend job a      | job a suspended
  execute a          | instance ended

story "a job that fails by hand costs a retry and tells why"
  engine executor off
  delegate Work: fails "no line" 2 times
  process p, camunda:  start -> a{delegate Work, async} -> end
  start p            | job a has 3 retries
  execute a          | rejected: no line, job a waits, job a has 2 retries
  execute a          | rejected: no line, job a has 1 retries
  execute a          | instance ended

story "exclusive jobs may be executed by hand in any order"
  engine executor off
  delegate A
  delegate B
  process p, camunda:  start -> f+ -> a{delegate A, async} -> j+ -> end
                       f -> b{delegate B, async} -> j
  start p            | job a waits, job b parked
  execute b          | job b gone, job a waits
  execute a          | instance ended, calls B A

story "a signal thrown asynchronously reaches each who waits in a job of its own"
  engine executor off
  process thrower, camunda:  start -> shout{throw signal alarm, asynchronously} -> end
  process hearer, camunda:   start -> hear{signal alarm} -> end
  start hearer as one
  start hearer as two
  start thrower      | thrower: instance ended, one: job hear waits, two: job hear waits, one: instance lives
  executor starts    | one: instance ended, two: instance ended

story "a chain of save points is run one job after the other"
  delegate A
  delegate B
  delegate C
  process p, camunda:  start{async} -> a{delegate A, async} -> b{delegate B, async after} -> c{delegate C} -> end
  start p            | instance ended, calls A B C

story "what was committed before a save point survives a failure behind it"
  delegate A: succeeds {"a": 1}
  delegate B: fails 3 times
  process p, camunda:  start -> a{delegate A} -> b{delegate B, async} -> end
  start p            | job b failed, variable a = 1, calls A B B B

story "what a job does is known by its log"
  delegate Work: fails 2 times
  process p, camunda:  start -> a{delegate Work, async, retry R3/PT1M} -> end
  start p            | job log a created failed
  1m passes          | job log a created failed failed
  prioritise a 5     | job log a created failed failed changed
  1m passes          | instance ended, job log a created failed failed changed completed

story "a job that is deleted leaves its token"
  engine executor off
  delegate Work
  process p, camunda:  start -> a{delegate Work, async} -> end
  start p            | job a waits
  delete job a       | job a gone, token at a, instance lives
  executor starts    | token at a, Work called 0 times

story "executors wake at once when an operator lets a job run"
  delegate Work: fails 3 times
  process p, camunda:  start -> a{delegate Work, async} -> end
  start p            | job a failed
  retries a 1        | instance ended

story "gateways have save points before and after, and start events too"
  engine executor off
  delegate A
  process p, camunda:  start{async} -> f+{async} -> a{delegate A} -> j+{async} -> x?[async, async after]{true} -> end
                       f -> b{delegate A} -> j
                       x? -> end never
  start p            | job start waits, A called 0 times
  execute start      | job f waits, A called 0 times
  execute f          | 2 jobs j, A called 2 times
  execute j          | 1 jobs j, no token at x
  execute j          | job x waits, job log x created
  execute x          | job x waits
  execute x          | instance ended

story "a save point after a gateway holds what follows it"
  engine executor off
  delegate A
  process p, camunda:  start -> f+{async after} -> a{delegate A} -> end
                       f -> b{delegate A} -> end
  start p            | A called 0 times, 2 jobs f
  executor starts    | instance ended, A called 2 times

story "a timer is stored with its due date"
  engine executor off
  process p, flowable:  start -> f+ -> wait{timer 10m} -> end
                        f -> till{timer 2030-01-02T03:04:05Z} -> end
                        f -> ask{user} -> end
                        ask @timer(R2/PT1H, alongside) -> end nagged
  start p            | job wait due in 10m, job till due at 2030-01-02T03:04:05Z, job ask_timer due in 1h
  restart            | job wait due in 10m, job till due at 2030-01-02T03:04:05Z, job ask_timer due in 1h

story "a due timer keeps its place and becomes a job"
  engine executor off
  process p, flowable:  start -> wait{timer 10m} -> end
  start p            | job wait due in 10m
  fire wait          | job wait waits, 1 jobs wait, job log wait created changed
  executor starts    | instance ended

story "one executor serves the models of all systems"
  engine executor off
  delegate Work
  process p, camunda:   start -> a{delegate Work, async} -> end
  process q, flowable:  start -> a{delegate Work, async} -> end
  process r:            start -> wait{timer 10s} -> end
  start p as p
  start q as q
  start r as r
  10s pass           | p: job a waits, q: job a waits, r: token at wait, Work called 0 times
  executor starts    | p: instance ended, q: instance ended, r: instance ended, Work called 2 times

story "a timer that a node without an executor makes is fired by another"
  engine executor off
  node b executor.active = true
  delegate Work
  process p, flowable:  start -> wait{timer 10s} -> a{delegate Work} -> end
  start p            | job wait due in 10s
  9s pass            | token at wait
  1s passes          | instance ended, story ran, b ran Work

story "no timer is late because one of the nodes fires none"
  engine executor off
  node b executor.active = true
  delegate Work
  process p, flowable:  start -> wait{timer 10s} -> a{delegate Work} -> end
  start p as one     | one: job wait due in 10s
  start p as two     | two: job wait due in 10s
  start p as three   | three: job wait due in 10s
  10s pass           | one: instance ended, two: instance ended, three: instance ended
