story "a message finds the one that waits for its key"
  process order:  start -> paid{message payment, key id} -> end
  start order as one {"id": "a"}
  start order as two {"id": "b"}
  publish payment key "b" {"sum": 3} | one: token at paid, two: instance ended at end, two: variable sum = 3
  publish payment key "c"            | nothing

story "a buffered message waits for its receiver, but not for ever"
  process order:  start -> paid{receive payment, key id} -> end
  publish payment key "a" for 1h {"sum": 1}
  publish payment key "b" for 1h
  restart
  start order as one {"id": "a"}     | instance ended at end, variable sum = 1
  start order as two {"id": "a"}     | token at paid
  1h passes
  start order as three {"id": "b"}   | token at paid

story "an id is taken while its message is buffered"
  process order:  start -> paid{message payment, key id} -> end
  publish payment key "a" for 10m id m1
  publish payment key "a" for 10m id m1 | rejected: message exists
  publish payment key "b" for 10m id m1
  publish payment key "a" id m1         | rejected: message exists
  10m pass
  publish payment key "a" for 10m id m1

story "messages are taken in order, one for each wait"
  process order:  start -> first{message step, key id} -> second{message step, key id} -> end
  start order as other {"id": "z"}
  publish step key "a" for 1h {"n": 1}
  publish step key "a" for 1h {"n": 2}
  start order {"id": "a"}            | went start first second end, instance ended, variable n = 2
  start order as late {"id": "a"}    | token at first
  publish step key "a" for 1h {"n": 3} | token at second, variable n = 3

story "a process gets a message once, another gets it too"
  process one:  start -> wait{message go, key id} -> end
  process two:  start -> wait{message go, key id} -> end
  start one as first {"id": "a"}
  start one as second {"id": "a"}
  start two as third {"id": "a"}
  publish go key "a" for 1m          | first: instance ended, second: token at wait, third: instance ended

story "a message on the boundary interrupts, or does not"
  process order:  start -> work{service work} -> end done
                  work @message(stop, key id) -> end stopped
                  work @message(ping, key id, alongside) as ping -> note{user} -> end noted
  start order {"id": "a"}            | job work waits
  publish ping key "a"               | task at note, job work waits
  publish ping key "a" for 1h        | 2 tokens at note
  publish stop key "a"               | job work gone, no token at work
  worker late completes work         | rejected: job not found

story "messages start instances, one at a time for each key"
  process order:  start{message order} -> work{service work} -> end
  publish order key "a" for 1h {"n": 1} | 1 instances of order, order: variable n = 1, order: job work waits
  publish order key "a" for 1h {"n": 2} | 1 instances of order
  publish order key "b" for 1h          | 2 instances of order
  restart
  1s passes
  worker w completes work               | 3 instances of order, order: variable n = 2
  publish order for 1h
  publish order for 1h                  | 5 instances of order

story "a message that nobody keeps starts only what is there"
  process order:  start{message order} -> work{service work} -> end
  publish order key "a"                 | 1 instances of order
  publish order key "a"                 | 1 instances of order
  worker w completes work               | 1 instances of order
  publish order key "a"                 | 2 instances of order

story "in camunda a message without a key must find exactly one"
  process order, camunda:  start -> paid{message payment} -> then{user} -> end
  process begun, camunda:  start{message begin} -> ask{user} -> end
  correlate payment                     | rejected: 0 wait
  start order as one
  start order as two
  correlate payment                     | rejected: 2 wait
  cancel two
  correlate payment {"sum": 3}          | one: token at then, one: variable sum = 3
  correlate begin                       | begun: token at ask

story "a suspended instance hears nothing until it is resumed"
  process order, camunda:  start -> paid{message payment} -> end
  start order
  suspend order
  correlate payment                     | rejected: suspended
  resume order
  correlate payment                     | instance ended

story "an event subprocess takes a message beside the work"
  process order:  start -> work{service work} -> end
                  event stop: start{message stop, key id} -> clean{service clean} -> end
                  event ping: start{message ping, key id, alongside} -> note{user} -> end
  start order {"id": "a"}               | job work waits
  publish ping key "a"                  | job work waits, task at note
  restart
  publish stop key "a"                  | job work gone, job clean waits, no task at note
  worker w completes clean              | instance ended

story "who waits for a message comes before those it could start, in one process"
  process old:    start -> wait{message go, key id} -> end
  process order:  start{message go} -> wait{message go, key id} -> end
  start old as one {"id": "a"}
  migrate to order wait=wait            | one: token at wait, 1 instances of order
  publish go key "a" for 1h {"n": 1}    | one: instance ended, one: variable n = 1, 1 instances of order
  publish go key "a" for 1h {"id": "a"} | 2 instances of order, order: token at wait
  publish go key "a" for 1h             | 2 instances of order, order: instance ended
