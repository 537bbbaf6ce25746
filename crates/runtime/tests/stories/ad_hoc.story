# Ad-hoc subprocesses: elements without an order.

story "an ad-hoc subprocess begins with the elements that it is told and ends with the last of them"
  process order:  start -> box{adhoc, active todo} -> end
                  in box: call{service call}
                  in box: mail{service mail} -> file{service file}
                  in box: never{service never}
  start order {"todo": ["call", "mail"]}   | job call waits, job mail waits, no token at never
  worker w completes mail                  | job file waits
  restart
  worker w completes call                  | instance lives
  worker w completes file                  | instance ended

story "an ad-hoc subprocess ends when its condition holds, whatever is still at work"
  process order:  start -> box{adhoc, active todo, until enough} -> after{user} -> end
                  in box: call{user}
                  in box: mail{user}
  start order {"todo": ["call", "mail"], "enough": false}   | task at call, task at mail
  user completes call {"enough": true}                      | no task at mail, task at after

story "an element that is not there is an incident"
  process order:  start -> box{adhoc, active todo} -> end
                  in box: call{user}
  start order {"todo": ["nobody"]}   | incident EXTRACT_VALUE_ERROR at box
