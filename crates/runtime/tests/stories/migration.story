# Instances that go on as ones of another definition: everything that is stored about them names it.

story "a task, a job and a timer are found at their new elements after a restart"
  process order, camunda:  start -> fork+ -> ask{user} -> end
                           fork+ -> pay{service charge} -> end paid
                           ask @timer(1d) -> end late
  process renewed, camunda: start -> fork+ -> decide{user} -> more{user} -> end
                           fork+ -> collect{service charge} -> end collected
                           decide @timer(2d) -> overdue{user} -> end
  start order                      | task at ask, job charge waits, job ask_timer due in 1d
  worker anna takes charge         | got charge, job charge locked by anna
  migrate to renewed fork=fork ask=decide pay=collect ask_timer=decide_timer
    | task at decide, no task at ask, token at collect, no token at pay
    | job charge locked by anna, job charge has 3 retries
    | job decide_timer due in 1d, job ask_timer gone
    | 0 instances of order, 1 instances of renewed
  restart                          | task at decide, job charge locked by anna
  worker anna completes charge     | no token at collect
  user completes decide            | task at more, job decide_timer gone
  restart                          | task at more
  user completes more              | instance ended, 0 instances of order, 1 instances of renewed

story "an incident goes along, and so does what it is about"
  process order:  start -> pay{service charge} -> end
  process renewed: start -> collect{service charge} -> ask{user} -> end
  start order                                         | job charge waits
  worker anna fails charge leaving 0 retries "broke"  | incident at pay saying "broke"
  migrate to renewed pay=collect   | incident JOB_NO_RETRIES at collect saying "broke", job charge failed
  restart                          | incident at collect
  give charge 1 retries            | job charge failed
  resolve collect                  | no incident, job charge waits
  worker anna completes charge     | task at ask

story "a timer is kept and goes on in the new process"
  process order, camunda:  start -> wait{user} -> end
                           wait @timer(1h) -> work{user} -> end
  process renewed, camunda: start -> wait{user} -> end
                           wait @timer(3h) -> tidy{user} -> end
  start order                      | job wait_timer due in 1h
  migrate to renewed wait=wait wait_timer=wait_timer | job wait_timer due in 1h
  restart                          | job wait_timer due in 1h
  1h passes                        | task at tidy, no token at wait

story "a plan that does not fit changes nothing"
  process order:  start -> ask{user} -> end
  process renewed: start -> pay{service charge} -> end
  start order                      | task at ask
  migrate to renewed ask=pay       | rejected: another kind, nothing
  migrate to renewed               | rejected: the plan does not name it, nothing, 1 instances of order
