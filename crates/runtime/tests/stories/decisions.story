# Business rule tasks: decisions of each dialect, their results, versions and failures.

story "a decision of Zeebe gives its value to the process"
  table fee, zeebe: total => fee; > 100 => 0; <= 100 => 5
  process p:  start -> ask{decision fee, result fee} -> then{user} -> end
  start p {"total": 150}      | task at then, variables {"total": 150, "fee": 0}

story "with an output mapping the result of a decision stays inside"
  decision fee, zeebe: total + 1
  process p:  start -> ask{decision fee, result r, out next = "r * 2"} -> then{user} -> end
  start p {"total": 4}        | variables {"total": 4, "next": 10}

story "a decision that is not deployed is an incident in Zeebe"
  process p:  start -> ask{decision fee, result fee} -> then{user} -> end
  start p                     | incident CALLED_DECISION_ERROR at ask, token at ask

story "a decision that cannot be made is an incident in Zeebe and is asked again"
  table fee, zeebe: total => fee; > 100 => 1; > 50 => 2
  process p:  start -> ask{decision fee, result fee} -> then{user} -> end
  start p {"total": 150}      | incident DECISION_EVALUATION_ERROR at ask
  set {"total": 70}
  resolve ask                 | task at then, variable fee = 2, no incident

story "Camunda maps the rules that match as it is told"
  table rate, camunda, collect: total => rate; > 10 => 1; > 5 => 2
  process list, camunda:  start -> ask{decision rate, result r} -> then{user} -> end
  process entries, camunda:  start -> ask{decision rate, result r, shape collectEntries} -> then{user} -> end
  start list {"total": 20}       | variable r = [{"rate":1},{"rate":2}]
  start entries {"total": 20}    | variable r = [1,2]

story "Camunda takes the only entry or the only rule"
  table rate, camunda: total => rate, text; > 10 => 1, "big"; <= 10 => 2, "small"
  table one, camunda: total => rate; > 10 => 1
  process result, camunda:  start -> ask{decision rate, result r, shape singleResult} -> then{user} -> end
  process entry, camunda:  start -> ask{decision one, result r, shape singleEntry} -> then{user} -> end
  start result {"total": 20}     | variable r = {"rate":1,"text":"big"}
  start entry {"total": 20}      | variable r = 1
  start entry {"total": 1}       | variable r = null

story "in Camunda a result that does not fit its mapping undoes the command"
  table rate, camunda, collect: total => rate; > 10 => 1; > 5 => 2
  process p, camunda:  start -> wait{user} -> ask{decision rate, result r, shape singleEntry} -> end
  start p {"total": 20}
  user completes wait         | rejected, task at wait

story "a decision behind a save point that fails loses its retries"
  process p, camunda:  start -> ask{decision nowhere, result r, async} -> end
  start p                     | job ask failed, incident failedJob at ask

story "Camunda binds by version and by tag"
  decision fee, camunda, tag spring: 1
  decision fee, camunda, tag autumn: 2
  decision fee, camunda: 3
  process newest, camunda:  start -> ask{decision fee, result r, shape singleEntry} -> then{user} -> end
  process first, camunda:  start -> ask{decision fee, result r, shape singleEntry, bound version 1} -> then{user} -> end
  process autumn, camunda:  start -> ask{decision fee, result r, shape singleEntry, bound tag autumn} -> then{user} -> end
  process none, camunda:  start -> ask{decision fee, result r, bound tag winter} -> end
  start newest    | variable r = 3
  start first     | variable r = 1
  start autumn    | variable r = 2
  start none      | rejected

story "Zeebe binds by tag"
  decision fee, zeebe, tag spring: 1
  decision fee, zeebe: 2
  process p:  start -> ask{decision fee, result r, bound tag spring} -> then{user} -> end
  start p         | variable r = 1

story "Flowable makes variables of the outputs"
  table rate, flowable: total => rate, text; > 10 => 1, "big"; <= 10 => 2, "small"
  process p, flowable:  start -> ask{decision rate} -> then{user} -> end
  start p {"total": 20}       | variable rate = 1, variable text = "big"

story "Flowable makes a list where several rules may count"
  table rate, flowable, rule order: total => rate; > 10 => 1; > 5 => 2
  process p, flowable:  start -> ask{decision rate} -> then{user} -> end
  start p {"total": 20}       | variable rate = [{"rate":1},{"rate":2}]
  start p as few {"total": 7}    | few: variable rate = [{"rate":2}]

story "a decision behind a timer is asked when it fires"
  decision fee, zeebe: total + 1
  process p:  start -> wait{timer 10m} -> ask{decision fee, result r} -> then{user} -> end
  start p {"total": 1}
  10m pass        | task at then, variable r = 2
