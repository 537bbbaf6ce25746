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

story "an inclusive gateway takes every flow whose condition holds and its join waits for those"
  process order:  start -> fork*{total > 10} -> big{service big} -> join* -> end
                  fork*{gift} -> wrap{service wrap} -> join
                  fork* -> plain{service plain} -> join
  start order as a {"total": 20, "gift": true}   | a: token at big, a: token at wrap, a: no token at plain
  worker w completes wrap                        | a: token at join, a: instance lives
  worker w completes big                         | a: instance ended
  start order as b {"total": 5, "gift": true}    | b: token at wrap, b: no token at big
  worker w completes wrap                        | b: instance ended
  start order as c {"total": 5, "gift": false}   | c: token at plain
  worker w completes plain                       | c: instance ended

story "an inclusive join waits across a restart, in every dialect"
  process c, camunda:   start -> fork*{n > 1} -> a{user} -> join* -> end
                        fork*{n > 2} -> b{user} -> join
                        fork*{n > 3} -> d{user} -> join
  process f, flowable:  start -> fork*{n > 1} -> a{user} -> join* -> end
                        fork*{n > 2} -> b{user} -> join
                        fork*{n > 3} -> d{user} -> join
  start c {"n": 3}          | c: task at a, c: task at b, c: no task at d
  start f {"n": 3}          | f: task at a, f: task at b, f: no task at d
  user completes a of c     | c: token at join
  user completes a of f     | f: token at join
  restart                   | c: task at b, f: task at b
  user completes b of c     | c: instance ended
  user completes b of f     | f: instance ended

story "after an event-based gateway the first event wins and the others are forgotten"
  process order:  start -> wait! -> paid{message paid, key id} -> end happy
                  wait -> late{timer 1h} -> end sad
                  wait -> stop{signal stop} -> end stopped
  start order as a {"id": "7"}       | a: token at wait
  start order as b {"id": "8"}
  start order as c {"id": "9"}
  publish paid key "7" {"sum": 3}     | a: instance ended at happy, a: variable sum = 3, b: token at wait
  restart
  1h passes                          | b: instance ended at sad, c: instance ended at sad
  start order as d {"id": "10"}
  signal stop                        | d: instance ended at stopped
  publish paid key "10"              | nothing
