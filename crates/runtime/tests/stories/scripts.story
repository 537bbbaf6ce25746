# Script tasks: the languages, their results, errors and failures in each dialect.

story "a FEEL script of Zeebe gives its result to the process"
  process p:  start -> sum{script feel "a + b", result sum} -> ask{user} -> end
  start p {"a": 1, "b": 2}    | task at ask, variables {"a": 1, "b": 2, "sum": 3}

story "with an output mapping the result of a Zeebe script stays inside"
  process p:  start -> sum{script feel "a + b", result sum, out double = "sum * 2"} -> ask{user} -> end
  start p {"a": 1, "b": 2}    | variables {"a": 1, "b": 2, "double": 6}

story "a UEL script is the default of Camunda"
  process p, camunda:  start -> sum{script juel "${a + 1}", result sum} -> ask{user} -> end
  start p {"a": 1}            | variables {"a": 1, "sum": 2}

story "a UEL script sets variables of the execution"
  process p, camunda:  start -> put{script juel "${execution.setVariable('b', a + 1)}"} -> ask{user} -> end
  start p {"a": 1}            | variable b = 2

story "a FEEL script in a Camunda process"
  process p, camunda:  start -> sum{script feel "a + b", result sum} -> ask{user} -> end
  start p {"a": 1, "b": 2}    | variable sum = 3

story "a Groovy script of Camunda gives a result and sets variables"
  process p, camunda:  start -> run{script groovy "execution.setVariable('twice', a * 2); items.findAll { it > a }.sum()", result sum} -> ask{user} -> end
  start p {"a": 2, "items": [1, 3, 5]}    | variable sum = 8, variable twice = 4

story "a Groovy script of Flowable stores what it assigns when it is told to"
  process p, flowable:  start -> run{script groovy "x = a + 1; y = x * 2", stores} -> ask{user} -> end
  start p {"a": 2}            | variable x = 3, variable y = 6

story "a Groovy script of Flowable keeps what it assigns to itself otherwise"
  process p, flowable:  start -> run{script groovy "x = a + 1", result r} -> ask{user} -> end
  start p {"a": 2}            | variable r = 3, no variable x

story "a JavaScript of Camunda gives a result and sets variables"
  process p, camunda:  start -> run{script javascript "execution.setVariable('twice', a * 2); a + 1", result r} -> ask{user} -> end
  start p {"a": 2}            | variable r = 3, variable twice = 4

story "a JavaScript of Flowable gives a result"
  process p, flowable:  start -> run{script javascript "var s = 0; for (var i = 0; i < n; i++) { s += i; } s", result r} -> ask{user} -> end
  start p {"n": 5}            | variable r = 10

story "an error thrown by a Groovy script is caught by its boundary event"
  process p, camunda:  start -> run{script groovy "throw new org.camunda.bpm.engine.delegate.BpmnError('POOR', 'no money')"} -> end paid
                       run @error(POOR, code c, message m) -> sorry{user} -> end
  start p                     | task at sorry, variable c = "POOR", variable m = "no money"

story "an error thrown by a JavaScript is caught by its boundary event"
  process p, camunda:  start -> run{script javascript "throw new org.camunda.bpm.engine.delegate.BpmnError('POOR')"} -> end paid
                       run @error(POOR) -> sorry{user} -> end
  start p                     | task at sorry

story "a script that fails undoes the command that led there"
  process p, camunda:  start -> ask{user} -> run{script groovy "missing.size()"} -> end
  start p                     | task at ask
  user completes ask          | rejected, task at ask

story "a script behind a save point that fails loses a retry each time"
  process p, camunda:  start -> run{script groovy "if (!ready) throw new RuntimeException('not yet'); 1", result r, async} -> ask{user} -> end
  start p {"ready": false}    | job run failed, incident failedJob at run
  set {"ready": true}
  give run 1 retries          | task at ask, variable r = 1

story "a failing script of Flowable waits between its tries"
  process p, flowable:  start -> run{script groovy "if (!ready) throw new RuntimeException('not yet')", async} -> ask{user} -> end
  start p {"ready": false}    | job run due in 10s, job run has 2 retries
  set {"ready": true}
  10s pass                    | task at ask

story "scripts behind a timer run when it fires"
  process p, camunda:  start -> wait{timer 10m} -> run{script groovy "a + 1", result r} -> ask{user} -> end
  start p {"a": 1}            | token at wait
  10m pass                    | task at ask, variable r = 2

story "a script task survives a restart before it"
  process p, camunda:  start -> wait{user} -> run{script groovy "a + 1", result r} -> ask{user} -> end
  start p {"a": 1}
  restart
  user completes wait         | task at ask, variable r = 2

story "a script removes variables"
  process p, camunda:  start -> run{script groovy "execution.removeVariable('a'); execution.setVariable('b', 1)"} -> ask{user} -> end
  start p {"a": 2}            | variables {"b": 1}

story "a transient variable is seen until the command ends and never kept"
  process p, flowable:  start -> hide{script groovy "execution.setTransientVariable('a', 7); execution.setTransientVariable('t', 8)"} -> run{script javascript "execution.setVariable('r', execution.getVariable('a') + t)"} -> ask{user} -> show{script groovy "execution.setVariable('later', execution.getVariable('t') == null && a == 1)"} -> last{user} -> end
  start p {"a": 1}            | task at ask, variable r = 15, variable a = 1, no variable t
  user completes ask          | task at last, variable later = true

story "what a script calls local goes with its token in Flowable"
  process p, flowable:  start -> mine{script groovy "execution.setVariableLocal('x', 5)"} -> run{script javascript "execution.setVariable('r', String(execution.getVariableLocal('x')) + String(execution.getVariableLocal('a')))"} -> ask{user} -> show{script groovy "execution.setVariable('later', x + a)"} -> last{user} -> end
  start p {"a": 1}            | task at ask, variable r = "5null"
  user completes ask          | task at last, variable later = 6

story "what a script calls local is the instance's in Camunda while its token is alone"
  process p, camunda:  start -> mine{script groovy "execution.setVariableLocal('x', 5)"} -> run{script javascript "execution.setVariable('r', String(execution.getVariableLocal('x')) + String(execution.getVariableLocal('a')))"} -> ask{user} -> end
  start p {"a": 1}            | task at ask, variable r = "51", variable x = 5

story "names of a Flowable script with parameters stand for these alone"
  process p, flowable:  start -> sum{script groovy "execution.setVariable('r', a + execution.getVariable('y'))", in a = "x * 10"} -> ask{user} -> end
  start p {"x": 1, "y": 2}  | token at ask, variables {"r": 12, "x": 1, "y": 2}

story "a variable that a Flowable script is not given is unknown to it"
  process p, flowable:  start -> sum{script groovy "execution.setVariable('r', a + y)", in a = "x * 10"} -> ask{user} -> end
  start p {"x": 1, "y": 2}  | rejected: No such property: y

story "a Flowable script that gets no variables still asks the execution"
  process p, flowable:  start -> sum{script groovy "execution.setVariable('r', execution.getVariable('y'))", withholds} -> ask{user} -> end
  start p {"y": 2}          | token at ask, variables {"r": 2, "y": 2}

story "a UEL script of Flowable that gets no variables knows none"
  process p, flowable:  start -> sum{script juel "${y + 1}", result r, withholds} -> ask{user} -> end
  start p {"y": 2}          | rejected: an expression failed
