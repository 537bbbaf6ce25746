# Deployment awareness: a node runs only jobs of deployments that are registered with it.

story "every deployment is registered with the engine that made it"
  engine deployment aware
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  start p            | instance ended

story "jobs of a deployment that is not registered are left to others"
  engine deployment aware
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  process q, camunda:  start -> a{delegate A, async} -> end
  unregister p
  start p            | p: job a waits
  start q            | q: instance ended
  register p         | p: instance ended

story "timers of a deployment that is not registered are left to others"
  engine jobExecutorDeploymentAware = true
  delegate A
  process p, camunda:  start -> wait{timer 10s} -> a{delegate A} -> end
  start p
  unregister p
  10s pass           | token at wait, A called 0 times
  register p         | instance ended

story "timers of a deployment that is not registered wait, whatever they lead to"
  engine deployment aware
  process p, camunda:  start -> wait{timer 10s} -> ask{user} -> end
  process q, camunda:  start -> wait{timer 10s} -> ask{user} -> end
  start p
  start q
  unregister p
  10s pass           | p: token at wait, q: token at ask
  register p         | p: token at ask

story "timers of a deployment are fired by the node it is registered with"
  engine deployment aware
  node b
  process p, camunda:  start -> wait{timer 10s} -> ask{user} -> end
  unregister p
  register p on b
  start p
  10s pass           | token at ask

story "an engine that is not aware runs all jobs, registered or not"
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  unregister p
  start p            | instance ended

story "after a restart nothing is registered until someone does it"
  engine deployment aware
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  start p as one     | one: instance ended
  executor stops
  start p as two     | two: job a waits
  restart with deployment aware  | two: job a waits
  register p         | two: instance ended

story "each node runs the jobs of the deployments that are registered with it"
  engine deployment aware
  node b
  delegate A
  delegate B
  process p, camunda:  start -> a{delegate A, async} -> end
  process q, camunda:  start -> b{delegate B, async} -> end
  unregister q
  register q on b
  start p            | p: instance ended, story ran A, b ran
  start q            | q: instance ended, story ran A, b ran B

story "a job moves to the node that can run it, step by step"
  engine deployment aware
  node b
  delegate A
  delegate B
  process p, camunda:  start -> a{delegate A, async} -> sub{call q} -> c{delegate A, async} -> end
  process q, camunda:  start -> b{delegate B, async} -> end
  unregister q
  register q on b
  start p            | p: instance ended, story ran A A, b ran B

story "versions of one process in different deployments are registered by themselves"
  engine deployment aware
  delegate Old
  delegate Latest
  process p, camunda:  start -> a{delegate Old, async} -> end
  process p, camunda:  start -> a{delegate Latest, async} -> end
  unregister p version 1
  start p version 1 as old     | old: job a waits
  start p as latest            | latest: instance ended
  unregister p
  register p version 1         | old: instance ended
  start p as later             | later: job a waits
  register p                   | later: instance ended, calls Latest Old Latest

story "each node runs the version that is registered with it"
  engine deployment aware
  node b
  delegate Old
  delegate Latest
  process p, camunda:  start -> a{delegate Old, async} -> end
  process p, camunda:  start -> a{delegate Latest, async} -> end
  unregister p version 1
  register p version 1 on b
  start p version 1 as old     | old: instance ended, story ran, b ran Old
  start p as latest            | latest: instance ended, story ran Latest, b ran Old

story "a deployment moves from node to node while instances run"
  engine deployment aware
  node b
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> ask{user} -> b{delegate A, async} -> end
  start p              | task at ask, story ran A, b ran
  unregister p
  user completes ask   | job b waits
  register p on b      | instance ended, story ran A, b ran A
  unregister p on b
  start p as again     | again: job a waits
  register p           | again: task at ask, story ran A A, b ran A

story "a retry is left to the node that knows the deployment by then"
  engine deployment aware
  node b
  delegate A: fails
  process p, camunda:  start -> a{delegate A, async, retry R3/PT1M} -> end
  start p              | job a due in 1m, story ran A, b ran
  unregister p
  register p on b
  1m passes            | instance ended, story ran A, b ran A

story "a job executed by hand is run wherever it was asked for"
  engine deployment aware
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  unregister p
  start p              | job a waits
  execute a            | instance ended

story "exclusive jobs of one instance wait for one another across nodes"
  engine deployment aware
  node b
  delegate A
  delegate B
  process p, camunda:  start -> f+ -> a{delegate A, async} -> j+ -> end
                       f -> sub{call q, async} -> j
  process q, camunda:  start -> b{delegate B, async} -> end
  unregister q
  register q on b
  start p              | p: instance ended, story ran A, b ran B

story "a node that is not aware runs what an aware one leaves, on the same store"
  engine deployment aware
  node b executor.deployment_aware = false
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  unregister p
  start p            | instance ended, story ran, b ran A

story "a signal thrown asynchronously is heard where the deployment of the hearer is registered"
  engine deployment aware
  delegate Heard
  process thrower, camunda:  start -> shout{throw signal alarm, asynchronously} -> end
  process hearer, camunda:   start -> hear{signal alarm} -> a{delegate Heard} -> end
  start hearer as one
  unregister hearer
  start thrower as two   | two: instance ended, one: job hear waits, Heard called 0 times
  register hearer        | one: instance ended

story "a timer start event of a deployment that is not registered waits"
  engine deployment aware
  delegate Work
  process p, camunda:  start{timer 10s} -> a{delegate Work, async} -> end
  unregister p
  1m passes        | 0 instances of p
  register p       | 1 instances of p

story "a deployment is registered and unregistered twice as well as once"
  engine deployment aware
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  unregister p
  unregister p
  register p
  register p
  start p         | instance ended

story "a failure on the node of the called deployment is told of in the caller"
  engine deployment aware
  node b
  delegate A
  delegate B: fails 3 times
  process p, camunda:  start -> a{delegate A, async} -> sub{call q} -> end
  process q, camunda:  start -> b{delegate B, async} -> end
  unregister q
  register q on b
  start p          | q: incident failedJob at b, p: incident failedJob at sub, b ran B B B
  retries b 1      | p: instance ended, p: no incident

story "a job of a deployment that its node has left waits for another"
  engine deployment aware
  node b
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  executor stops
  start p          | job a waits
  unregister p
  executor starts  | job a waits
  register p on b  | instance ended, b ran A, story ran

story "jobs of an older version are those of its deployment"
  engine deployment aware
  delegate A
  process p, camunda:  start -> ask{user} -> a{delegate A, async, priority 1} -> end
  process p, camunda:  start -> ask{user} -> a{delegate A, async} -> end
  start p version 1 as old    | old: task at ask
  unregister p version 1
  user completes ask of old   | old: job a waits
  register p version 1        | old: instance ended

story "after a restart retries, timers and calls go on where their deployments are registered"
  engine by priority, deployment aware, exclusive over hierarchies
  delegate A: fails
  process p, camunda, priority 3:  start -> f+ -> a{delegate A, async, retry R3/PT1M} -> j+ -> end
                                   f -> sub{call q} -> j
  process q, camunda:  start -> wait{timer 2m} -> b{delegate A, async} -> end
  start p as p        | p: job a due in 1m, q: job wait due in 2m
  restart with by priority, deployment aware, exclusive over hierarchies
  register p
  1m passes           | p: job a gone
  1m passes           | q: token at wait
  register q          | p: instance ended

story "the suspension to come of a process that is not registered waits"
  engine deployment aware
  process p, camunda:  start -> a{user} -> end
  suspend process p in 10m
  unregister p
  10m pass
  start p                            | task at a
