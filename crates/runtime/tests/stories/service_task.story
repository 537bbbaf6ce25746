# Service tasks: worker jobs and delegates.

story "a worker completes a job and the instance goes on"
  process order:  start -> pay{service charge} -> end paid
  start order {"total": 90}                | token at pay, job charge waits, job charge has 3 retries
  worker anna takes charge                 | got charge with {"total": 90}, job charge locked by anna
  worker anna completes charge {"paid": true} | instance ended at paid, variables {"paid": true, "total": 90}
                                           | went start pay paid

story "a worker that asks for nothing that is there gets nothing"
  process order:  start -> pay{service charge} -> end
  start order                   | job charge waits
  worker anna takes ship        | got nothing
  worker anna takes charge      | got charge
  worker ben takes charge       | got nothing

story "the first completion wins, whoever holds the job"
  process order:  start -> pay{service charge} -> end paid
  start order
  worker anna takes charge        | job charge locked by anna
  worker ben completes charge     | instance ended at paid
  worker anna completes charge    | rejected: job not found, nothing

story "a job whose lock runs out goes to another worker, and the late answer still counts"
  process order:  start -> pay{service charge} -> end paid
  start order
  worker anna takes charge for 1m   | job charge locked by anna
  1m pass                           | job charge locked by anna
  1ms passes                        | job charge waits, job charge has 3 retries
  worker ben takes charge           | got charge, job charge locked by ben
  worker anna completes charge      | instance ended at paid
  worker ben completes charge       | rejected: job not found

story "a lock is extended while it lasts and not afterwards"
  process order:  start -> pay{service charge} -> end
  start order
  worker anna takes charge for 1m
  50s pass
  worker anna extends charge by 1m   | job charge locked by anna
  50s pass                           | job charge locked by anna
  11s pass                           | job charge waits
  worker anna extends charge by 1m   | rejected: job is not locked

story "a job of the engine is none for a worker"
  delegate Charge: fails
  process order, camunda:  start -> pay{delegate Charge, async, retry R2/PT1M} -> end
  start order                        | job pay due in 1m
  worker anna completes pay          | rejected: job not found, nothing

story "a class that nobody registered is worked by a client"
  process order, camunda:  start -> pay{delegate shop.Charge} -> end paid
  start order {"total": 90}            | token at pay, job shop.Charge waits
  worker anna takes shop.Charge        | got shop.Charge with {"total": 90}
  worker anna completes shop.Charge {"paid": true} | instance ended at paid, variables {"paid": true, "total": 90}

story "a delegate runs within the command that comes to it"
  delegate Charge: succeeds {"paid": true}
  process order, camunda:  start -> pay{delegate Charge} -> end paid
  start order {"total": 90}     | instance ended at paid, variables {"paid": true, "total": 90}, Charge called once

story "a delegate that fails undoes the command that comes to it"
  delegate Charge: fails "no line"
  process order, camunda:  start -> ask{user} -> pay{delegate Charge} -> end paid
  start order               | task at ask
  user completes ask        | rejected: pay failed: no line, nothing, Charge called once
  user completes ask        | instance ended at paid, Charge called 2 times

story "jobs are taken by priority, then by age"
  process order:  start -> pay{service charge, priority "=rank"} -> end
  start order as low {"rank": 1}
  start order as high {"rank": 9}       | job charge has priority 9
  start order as middle {"rank": 5}
  start order as twin {"rank": 9}
  worker anna takes charge              | got charge with {"rank": 9}, high: job charge locked by anna
  worker anna takes charge              | got charge with {"rank": 9}, twin: job charge locked by anna
  worker anna takes charge              | got charge with {"rank": 5}
  worker anna takes charge              | got charge with {"rank": 1}
  worker anna takes charge              | got nothing

story "external tasks of Camunda and Flowable are worker jobs as well"
  process c, camunda:   start -> a{service charge} -> end
  process f, flowable:  start -> a{service charge} -> end
  start c                              | job charge waits, job charge has 3 retries
  start f                              | job charge waits, job charge has 3 retries
  worker anna completes charge of c {"x": 1} | c: instance ended, c: variables {"x": 1}
  worker anna completes charge of f {"x": 2} | f: instance ended, f: variables {"x": 2}

story "a method of a bean that nobody registered is worked by a client"
  process order, camunda:  start -> send{expression "${mailer.send(to, n + 1, execution)}", result sent} -> ask{user} -> end
  start order {"to": "anna", "n": 2}   | token at send, job mailer.send waits
  worker ben takes mailer.send         | got mailer.send with {"arg0": "anna", "arg1": 3, "n": 2, "to": "anna"}
  worker ben completes mailer.send {"sent": true} | token at ask, variables {"n": 2, "sent": true, "to": "anna"}

story "a method of a bean that is registered is called"
  delegate mailer: succeeds {"sent": true}
  process order, camunda:  start -> send{expression "${mailer.send(to)}"} -> ask{user} -> end
  start order {"to": "anna"}           | token at ask, variables {"sent": true, "to": "anna"}, mailer called once

story "an expression that is more than one call fails where its bean is unknown"
  process order, camunda:  start -> send{expression "${mailer.send(to) + 1}"} -> end
  start order {"to": "anna"}           | rejected: an expression failed

story "what a system brings along is worked by a client where nobody registered it"
  process order, flowable:  start -> send{builtin mail, header to = "${to} of shop", header text = "thanks"} -> ask{user} -> end
  start order {"to": "anna"}           | token at send, job mail waits
  worker ben takes mail                | got mail with {"text": "thanks", "to": "anna of shop"}
  worker ben completes mail            | token at ask, variables {"to": "anna"}

story "what a system brings along is called where it is registered"
  delegate http: succeeds {"code": 200}
  process order, flowable:  start -> ask{builtin http, header requestMethod = "GET", header requestUrl = "x"} -> wait{user} -> end
  start order                          | token at wait, variables {"code": 200}, http called once

story "an external worker of Flowable gets what the model gives it and nothing else"
  process order, flowable:  start -> pay{service charge, in sum = "total * 2", out paid = "amount"} -> ask{user} -> end
  start order {"total": 90, "secret": 1} | job charge waits
  worker anna takes charge             | got charge with {"sum": 180}

story "an external worker of Flowable that is to get no variables gets none"
  process order, flowable:  start -> pay{service charge, withholds} -> ask{user} -> end
  start order {"total": 90}            | job charge waits
  worker anna takes charge             | got charge with {}
