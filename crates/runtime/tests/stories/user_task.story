# User tasks.

story "a person completes a task and the instance goes on"
  process order:  start -> ask{user, assignee kim} -> end
  start order {"total": 90}            | token at ask, task at ask
  user completes ask {"approved": true} | instance ended, variables {"approved": true, "total": 90}

story "a task is overtaken by a timer"
  process order, camunda:  start -> ask{user} -> end answered
                           ask @timer(1d) -> end ignored
  start order          | task at ask
  1d passes            | instance ended at ignored, no task at ask
