# Gateways: choices, forks and joins.

story "an exclusive gateway takes the flow whose condition holds, else the default"
  process order:  start -> x?{total > 100} -> big{user} -> end
                  x? -> small{user} -> end
  start order as a {"total": 101}   | a: task at big
  start order as b {"total": 100}   | b: task at small

story "the conditions of UEL read the same"
  process order, camunda:  start -> x?{order.total > 100 && !paid} -> big{user} -> end
                           x? -> small{user} -> end
  start order as a {"order": {"total": 101}, "paid": false}  | a: task at big
  start order as b {"order": {"total": 101}, "paid": true}   | b: task at small

story "of several that hold Camunda takes the first and Zeebe the last written"
  process c, camunda:  start -> x?{n > 1} -> first{user} -> end
                       x?{n > 2} -> second{user} -> end
                       x? -> end none
  process z:           start -> x?{n > 1} -> first{user} -> end
                       x?{n > 2} -> second{user} -> end
                       x? -> end none
  start c {"n": 3}   | c: task at first
  start z {"n": 3}   | z: task at second

story "where no flow can be taken Zeebe has an incident and Camunda refuses"
  process z:           start -> x?{n > 1} -> end a
                       x?{n > 2} -> end b
  process c, camunda:  start -> x?{n > 1} -> end a
                       x?{n > 2} -> end b
  start z {"n": 0}    | token at x, incident CONDITION_ERROR at x
  set {"n": 2}
  resolve x           | instance ended at a
  start c {"n": 0}    | rejected: x failed: no condition

story "a join waits for every branch"
  process both:  start -> fork+ -> a{service left} -> join+ -> end
                 fork -> b{service right} -> join
  start both                     | token at a, token at b
  worker anna completes left     | token at join, token at b, instance lives
  worker anna completes right    | instance ended

story "a join waits across a restart"
  process both, camunda:  start -> fork+ -> a{service left} -> join+ -> end
                          fork -> b{user} -> join
  start both
  worker anna completes left {"l": 1}  | token at join
  restart                              | token at join, task at b, variables {"l": 1}
  user completes b {"r": 2}            | instance ended, variables {"l": 1, "r": 2}
