# Timers as jobs: their due dates by hand, their repetitions, their versions.

story "the due date of a timer is computed again, from now"
  process p, camunda:  start -> wait{timer =duration} -> end
  start p {"duration": "PT10M"}     | job wait due in 10m
  set {"duration": "PT1H"}
  5m pass
  recalculate wait                  | job wait due in 1h

story "the due date of a timer is computed again, from its creation"
  process p, camunda:  start -> wait{timer =duration} -> end
  start p {"duration": "PT10M"}     | job wait due in 10m
  set {"duration": "PT1H"}
  5m pass
  recalculate wait from its creation  | job wait due in 55m

story "only a timer has a due date to compute"
  engine executor off
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  start p            | job a waits
  recalculate a      | rejected: no timer

story "a repetition is moved as a whole or one firing of it"
  process p, camunda:  start -> ask{user} -> end
                       ask @timer(R5/PT10M, alongside) -> nag{service mail} -> end nagged
  start p as whole   | whole: job ask_timer due in 10m
  start p as one     | one: job ask_timer due in 10m
  due ask_timer in 13m cascading of whole  | whole: job ask_timer due in 13m
  due ask_timer in 13m of one              | one: job ask_timer due in 13m
  13m pass           | whole: job ask_timer due in 10m, one: job ask_timer due in 7m

story "a due date is given to a job that had none"
  engine executor off
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  start p            | job a has no due date
  due a in 10m       | job a due in 10m
  executor starts    | job a due in 10m
  10m pass           | instance ended

story "a due date is taken away and the job runs"
  delegate A
  process p, camunda:  start -> wait{timer 10m} -> a{delegate A} -> end
  start p            | job wait due in 10m
  due wait never     | instance ended

story "a new version of a process takes over its timer start events"
  process p, camunda:  start{timer R/10s} -> ask{user} -> end
  process p, camunda:  start{timer R/1h} -> ask{user} -> end
  10m pass           | 0 instances of p
  50m pass           | 1 instances of p

story "a repetition fired before its time keeps its dates, and each such firing is one more"
  delegate A
  process p, camunda:  start -> ask{user} -> end
                       ask @timer(R3/10m, alongside) -> x{delegate A} -> end other
  start p                  | job ask_timer due in 10m
  due ask_timer now        | A called once, job ask_timer due in 10m
  execute ask_timer        | A called 2 times, job ask_timer due in 10m
  10m pass                 | A called 3 times, job ask_timer due in 10m
  20m pass                 | A called 5 times, job ask_timer gone

story "a bounded repetition of Flowable counts a firing before its time"
  delegate A
  process p, flowable:  start -> ask{user} -> end
                        ask @timer(R3/10m, alongside) -> x{delegate A} -> end other
  start p                  | job ask_timer due in 10m
  fire ask_timer           | A called once
  1h passes                | A called 3 times, job ask_timer gone

story "the next firing of a repetition has retries, also when this one had none left"
  engine executor off
  delegate A
  process p, camunda:  start -> ask{user} -> end
                       ask @timer(R5/10m, alongside) -> x{delegate A} -> end other
  start p                | job ask_timer due in 10m
  retries ask_timer 0    | job ask_timer dead
  execute ask_timer      | A called once, job ask_timer due in 10m, job ask_timer has 3 retries
  executor starts
  10m pass               | A called 2 times
