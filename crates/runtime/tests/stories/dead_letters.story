# Dead letters: jobs that were given up, and what people do with them.

story "a job that keeps failing becomes a dead letter, with its failure"
  delegate A: fails "no line" 3 times
  process p, flowable:  start -> a{delegate A, async} -> end
  start p
  20s pass           | job a dead, job a has 0 retries, incident deadLetter at a saying "no line"
  1d passes          | nothing

story "a dead letter is tried again with new retries"
  delegate A: fails 4 times
  process p, flowable:  start -> a{delegate A, async} -> end
  start p
  20s pass                      | job a dead
  revive a with 2 retries       | job a due in 10s, job a has 1 retries, no incident
  10s pass                      | instance ended

story "only a dead letter is revived"
  engine executor off
  delegate A
  process p, flowable:  start -> a{delegate A, async} -> end
  start p                       | job a waits
  revive a with 2 retries       | rejected: job is ready
  bury a                        | job a dead
  revive a with 0 retries       | rejected: too few retries

story "a job is moved to the dead letters by hand"
  engine executor off
  delegate A
  process p, flowable:  start -> a{delegate A, async} -> end
  start p            | job a waits
  bury a             | job a dead, incident deadLetter at a
  executor starts    | A called 0 times
  revive a with 3 retries  | instance ended

story "a timer is moved to the dead letters by hand"
  process p, flowable:  start -> wait{timer 10m} -> end
  start p            | job wait due in 10m
  bury wait          | job wait dead
  1h passes          | job wait dead
  bury wait          | rejected: job is failed
  revive wait with 3 retries  | instance ended

story "a dead letter is executed by hand"
  delegate A: fails 3 times
  process p, flowable:  start -> a{delegate A, async} -> end
  start p
  20s pass           | job a dead
  execute a          | instance ended

story "a dead letter is deleted and leaves its token"
  delegate A: fails 3 times
  process p, flowable:  start -> a{delegate A, async} -> end
  start p
  20s pass           | job a dead, incident at a
  delete job a       | job a gone, token at a, no incident
  cancel             | instance cancelled

story "a dead letter goes with its instance"
  delegate A: fails 3 times
  process p, flowable:  start -> a{delegate A, async} -> end
  start p
  20s pass           | job a dead
  cancel             | instance cancelled, job a gone

story "a dead letter outlives a restart"
  delegate A: fails "no line" 3 times
  process p, flowable:  start -> a{delegate A, async} -> end
  start p
  20s pass           | job a dead
  restart            | job a dead, incident deadLetter at a saying "no line"
  revive a with 1 retries  | instance ended

story "a failed job waits like a timer and is ready again when its wait is over"
  delegate A: fails
  process p, flowable:  start -> a{delegate A, async} -> end
  start p            | job a due in 10s
  fire a             | instance ended

story "a timer is fired before its time"
  process p, flowable:  start -> wait{timer 10m} -> end
  start p
  fire wait          | instance ended

story "a failure that no try can mend makes a dead letter at once"
  delegate A: gives up "no such account"
  process p, flowable:  start -> a{delegate A, async} -> end
  start p            | job a dead, incident deadLetter at a saying "no such account", A called once
  revive a with 1 retries  | instance ended
