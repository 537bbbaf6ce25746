# Asynchronous continuations: save points, exclusive jobs, priorities.

story "a chain of continuations runs to its end by itself"
  delegate Step
  process chain, camunda:  start -> a{delegate Step, async} -> b{delegate Step, async nonexclusive} -> c{delegate Step, async, async after} -> end
  start chain    | instance ended, Step called 3 times, went start a b c end

story "what is before a save point is not repeated"
  delegate First
  delegate Second: fails 2 times
  process chain, camunda:  start -> a{delegate First, async after} -> b{delegate Second} -> end
  start chain    | First called once, Second called 3 times, instance ended

story "exclusive jobs of one instance wait for one another"
  delegate Work: fails
  process fork, flowable:  start -> f+ -> a{delegate Work, async} -> end
                           f -> b{delegate Work, async} -> end
                           f -> c{delegate Work, async} -> end
  start fork     | job a due in 10s, job b gone, job c gone, Work called 3 times
  10s pass       | instance ended, Work called 4 times

story "a failed exclusive job lets the others go first"
  delegate A: fails 3 times
  delegate B
  process fork, camunda:  start -> f+ -> a{delegate A, async} -> end
                          f -> b{delegate B, async} -> end
  start fork     | calls A B A A, job a failed, incident at a, job b gone

story "a parked job is promoted when the one before it is cancelled by its boundary"
  delegate Work: fails 9 times
  process fork, camunda:  start -> f+ -> a{delegate Work, async, retry R9/PT1M} -> end
                          f -> b{user} -> end
  start fork     | job a due in 1m, task at b
  user completes b
  3m pass        | Work called 4 times, job a has 5 retries

story "a continuation before a worker's task"
  process order, camunda:  start -> pay{service charge, async} -> end
  start order    | token at pay, job charge waits, went start pay
