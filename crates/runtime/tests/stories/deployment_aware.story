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

story "a node that is not aware runs what an aware one leaves, on the same store"
  engine deployment aware
  node b executor.deployment_aware = false
  delegate A
  process p, camunda:  start -> a{delegate A, async} -> end
  unregister p
  start p            | instance ended, story ran, b ran A
