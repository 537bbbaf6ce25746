# Failures: retries, retry cycles, back-off, incidents and their repair.

story "a worker fails a job and it is there again at once"
  process order:  start -> pay{service charge} -> end
  start order
  worker anna takes charge
  worker anna fails charge leaving 2 retries "no line"  | job charge waits, job charge has 2 retries, no incident
  worker ben takes charge                               | got charge
  worker ben completes charge                           | instance ended

story "a worker asks for a back-off and the job waits so long"
  process order:  start -> pay{service charge} -> end
  start order
  worker anna takes charge
  worker anna fails charge leaving 2 retries waiting 30s  | job charge due in 30s
  worker ben takes charge                                 | got nothing
  worker ben completes charge                             | rejected: job is waiting
  29s pass                                                | nothing
  1s passes                                               | job charge waits
  worker ben takes charge                                 | got charge

story "without retries there is an incident, which new retries and its resolution end"
  process order:  start -> pay{service charge} -> end paid
  start order
  worker anna fails charge leaving 0 retries "no money"   | job charge failed, incident JOB_NO_RETRIES at pay saying "no money", token at pay
  worker anna takes charge                                | got nothing
  worker anna completes charge                            | rejected: job is failed
  resolve pay                                             | rejected: retries needed, nothing
  give charge 1 retries                                   | job charge failed, incident at pay
  resolve pay                                             | no incident, job charge waits, job charge has 1 retries
  worker anna completes charge                            | instance ended at paid

story "in Camunda new retries are the resolution"
  process order, camunda:  start -> pay{service charge} -> end paid
  start order
  worker anna fails charge leaving 0 retries              | incident failedExternalTask at pay
  give charge 0 retries                                   | rejected: too few retries
  give charge 2 retries                                   | no incident, job charge waits
  worker anna completes charge                            | instance ended at paid

story "a failed continuation is tried three times in all, at once"
  delegate Charge: fails "no line" 3 times
  process order, camunda:  start -> pay{delegate Charge, async} -> end paid
  start order               | Charge called 3 times, job pay failed, incident failedJob at pay saying "no line"
  give pay 1 retries        | Charge called 4 times, instance ended at paid

story "Flowable waits ten seconds between tries"
  delegate Charge: fails 3 times
  process order, flowable:  start -> pay{delegate Charge, async} -> end paid
  start order               | Charge called once, job pay due in 10s, job pay has 2 retries
  10s pass                  | Charge called 2 times, job pay due in 10s, job pay has 1 retries
  10s pass                  | Charge called 3 times, job pay failed, incident deadLetter at pay
  give pay 3 retries        | instance ended at paid, Charge called 4 times

story "a retry cycle says how often and how long"
  delegate Charge: fails 5 times
  process order, camunda:  start -> pay{delegate Charge, async, retry R4/PT5M} -> end paid
  start order               | Charge called once, job pay has 3 retries, job pay due in 5m
  10m pass                  | Charge called 3 times, job pay has 1 retries
  5m pass                   | Charge called 4 times, job pay failed, incident at pay

story "a list of waits is walked in order"
  delegate Charge: fails 4 times
  process order, camunda:  start -> pay{delegate Charge, async, retry "PT1M,PT2M,PT3M"} -> end paid
  start order               | job pay due in 1m, job pay has 3 retries
  1m passes                 | job pay due in 2m, job pay has 2 retries
  2m pass                   | job pay due in 3m, job pay has 1 retries
  3m pass                   | job pay failed, Charge called 4 times

story "a failure undoes what its job did, up to the save point"
  delegate First
  delegate Second: fails, succeeds {"b": 2}
  process order, camunda:  start -> a{delegate First, async} -> b{delegate Second} -> end
  start order               | First called 2 times, Second called 2 times, instance ended, variables {"b": 2}

story "an incident outlives a restart and is repaired after it"
  delegate Charge: fails "no line" 3 times
  process order, camunda:  start -> pay{delegate Charge, async} -> end paid
  start order {"total": 90} | incident failedJob at pay
  restart                   | incident failedJob at pay, job pay failed, variables {"total": 90}
  give pay 1 retries        | instance ended at paid
