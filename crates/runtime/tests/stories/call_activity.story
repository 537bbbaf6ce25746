story "values go into a called process and come out of it"
  process child:   start -> work{service work} -> end
  process parent:  start -> sub{call child, in n = total + 1, out result = m} -> then{user} -> end
  start parent {"total": 4}          | token at sub, child: token at work, child: variable n = 5
  restart                            | parent: token at sub
  worker w completes work {"m": 7}   | child: instance ended, token at then, variable result = 7
  user completes then                | instance ended at end

story "an error leaves the called process and is caught around it"
  process child:   start -> work{service work} -> end bad{error POOR}
  process parent:  start -> sub{call child} -> end fine
                   sub @error(POOR) -> end poor
  start parent                       | child: token at work
  restart
  worker w completes work            | instance ended at poor

story "a caller that is cancelled takes the called ones with it"
  process leaf:    start -> work{service work} -> end
  process child:   start -> down{call leaf} -> end
  process parent:  start -> sub{call child} -> end
  start parent                       | leaf: job work waits
  cancel parent                      | instance cancelled, child: instance cancelled, leaf: instance cancelled
  worker late completes work of leaf | rejected: job not found

story "a boundary timer of the call activity ends the called instance"
  process child:   start -> work{service work} -> end
  process parent:  start -> sub{call child} -> end fine
                   sub @timer(10m) -> end late
  start parent                       | child: token at work
  10m pass                           | instance ended at late, child: instance cancelled

story "variables of camunda are handed over by name"
  process child, camunda:   start -> ask{user} -> end
  process parent, camunda:  start -> sub{call child, in n = total + 1, out result = m} -> then{user} -> end
  start parent {"total": 4}          | child: variables {"n": 5}
  user completes ask of child {"m": 7} | token at then, variable result = 7
