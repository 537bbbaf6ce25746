# BPMN errors: thrown by workers and delegates, caught or not.

story "an error is caught by the event of its code and its variables go on"
  process order:  start -> pay{service charge} -> end paid
                  pay @error(POOR) -> beg{user} -> end begged
  start order
  worker anna throws POOR on charge "no money" {"left": 3}  | job charge gone, task at beg, variables {"left": 3}
  user completes beg                                        | instance ended at begged

story "the exact code comes before the event for all"
  process order, camunda:  start -> pay{service charge} -> end paid
                           pay @error as any -> end other
                           pay @error(POOR, code c, message m) -> end poor
  start order as a
  worker anna throws POOR on charge "no money"   | a: instance ended at poor, variables {"c": "POOR", "m": "no money"}
  start order as b
  worker anna throws RICH on charge of b         | b: instance ended at other

story "in Zeebe an error nobody catches is an incident"
  process order:  start -> pay{service charge} -> end paid
  start order
  worker anna throws ODD on charge       | job charge threw, incident UNHANDLED_ERROR_EVENT at pay
  worker anna completes charge           | rejected: job is stopped by an error
  resolve pay                            | no incident, job charge waits
  worker anna completes charge           | instance ended at paid

story "in Camunda an error nobody catches ends its token, in Flowable a job fails of it"
  process c, camunda:   start -> pay{service charge} -> end paid
  process f, flowable:  start -> pay{service charge} -> end paid
  start c
  worker anna throws ODD on charge {"x": 1}  | c: instance ended, c: variables {"x": 1}, c: went start pay
  start f
  worker anna throws ODD on charge of f      | f: job charge gone, f: job pay due in 10s, f: job pay has 2 retries

story "a delegate throws an error too"
  delegate Charge: throws POOR {"left": 3}
  process order, camunda:  start -> pay{delegate Charge, async} -> end paid
                           pay @error(POOR) -> end poor
  start order    | instance ended at poor, variables {"left": 3}, Charge called once
