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
  process p, flowable:  start -> a{delegate A, async} -> end
  start p as one         | one: job a waits
  suspend process p      | one: job a waits
  start p as two         | rejected
  suspend process p with instances  | one: job a suspended
  resume process p with instances   | one: job a waits

story "jobs made in a suspended instance are suspended"
  delegate A
  process p, camunda:  start -> ask{user} -> a{delegate A, async} -> end
                       ask @timer(10m, alongside) -> end reminded
  start p
  suspend                | job ask_timer suspended
  user completes ask     | rejected
  resume
  user completes ask     | instance ended
