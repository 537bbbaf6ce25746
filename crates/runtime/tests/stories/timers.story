# Timers: catch events, boundary events, repeats, dates and months.

story "a slow payment is overtaken by its boundary timer"
  process order:  start -> pay{service charge} -> end paid
                  pay @timer(10m) -> sorry{service mail} -> end late
  start order {"total": 90}      | token at pay, job charge waits
  9m59s pass                     | nothing
  1s passes                      | job charge gone, job mail waits
  worker late completes charge   | rejected: job not found
  worker anna completes mail     | instance ended at late

story "a payment in time takes its boundary timer with it"
  process order:  start -> pay{service charge} -> end paid
                  pay @timer(10m) -> end late
  start order                    | job pay_timer due in 10m
  5m pass
  worker anna completes charge   | instance ended at paid, job pay_timer gone
  1h passes                      | nothing

story "a timer catch event waits its time and not less"
  process nap:  start -> sleep{timer 1h30m} -> end
  start nap              | token at sleep, job sleep due in 1h30m
  1h29m59s pass          | nothing
  999ms pass             | nothing
  1ms passes             | instance ended

story "a timer waits for a date, and a date that is past is due at once"
  process later:  start -> until{timer 2030-02-01T00:00:00Z} -> end
  process past:   start -> until{timer 2020-02-01T00:00:00Z} -> end
  start later            | job until due at 2030-02-01T00:00:00Z
  start past             | past: instance ended
  31d pass               | later: instance ended

story "a computed timer takes its text from a variable"
  process nap:  start -> sleep{timer =wait} -> end
  start nap {"wait": "PT20S"}   | job sleep due in 20s
  20s pass                      | instance ended

story "a repeating boundary timer does not disturb its element and ends with its count"
  process work:  start -> do{service task} -> end done
                 do @timer(R2/PT10S, alongside) -> nag{service mail} -> end nagged
  start work                     | job do_timer due in 10s
  10s pass                       | 1 jobs mail, job do_timer due in 10s, token at do
  10s pass                       | 2 jobs mail, job do_timer gone, token at do
  1m passes                      | nothing
  worker anna completes mail     | 1 jobs mail
  worker anna completes task     | instance lives
  worker anna completes mail     | instance ended

story "a month is a month"
  process rent, camunda:  start -> live{user} -> end
                          live @timer(R/P1M, alongside) -> pay{service charge} -> end paid
  start rent                     | job live_timer due at 2030-02-01T00:00:00Z
  31d pass                       | 1 jobs charge, job live_timer due at 2030-03-01T00:00:00Z
  28d pass                       | 2 jobs charge, job live_timer due at 2030-04-01T00:00:00Z
  user completes live            | no task at live, job live_timer gone, instance lives

story "the end of a month stays the end of a month"
  process rent:  start -> wait{timer 30d} -> live{service stay} -> end
                 live @timer(R3/P1M, alongside) -> pay{service charge} -> end paid
  start rent
  30d pass                       | token at live, job live_timer due at 2030-02-28T00:00:00Z
  28d pass                       | job live_timer due at 2030-03-31T00:00:00Z
  31d pass                       | job live_timer due at 2030-04-30T00:00:00Z
  30d pass                       | 3 jobs charge, job live_timer gone

story "Zeebe makes up for firings that were missed"
  process work:  start -> do{service task} -> end
                 do @timer(R4/PT1H, alongside) -> nag{service mail} -> end nagged
  start work
  the clock jumps 2h30m          | 2 jobs mail, job do_timer due in 30m

story "Camunda skips firings that were missed"
  process work, camunda:  start -> do{service task} -> end
                          do @timer(R4/PT1H, alongside) -> nag{service mail} -> end nagged
  start work
  the clock jumps 2h30m          | 1 jobs mail, job do_timer due in 30m

story "a timer that leads to foreign code runs it as a job of its own"
  delegate Charge: fails
  process nap, camunda:  start -> sleep{timer 10s} -> pay{delegate Charge} -> end paid
  start nap              | job sleep due in 10s
  10s pass               | Charge called 2 times, instance ended at paid

story "timers outlive a restart"
  process nap:  start -> sleep{timer 10s} -> end
  start nap
  5s pass
  restart                | job sleep due in 5s
  5s pass                | instance ended

story "a timer text that is none is an incident, repaired by a variable"
  process nap:  start -> sleep{timer =wait} -> end
  start nap {"wait": "soon"}     | incident EXTRACT_VALUE_ERROR at sleep saying "soon"
  set {"wait": "PT1S"}
  resolve sleep                  | no incident, job sleep due in 1s
  1s passes                      | instance ended

story "a cron text of Zeebe fires again and again"
  process p:  start -> work{user} -> end
              work @timer(cron 0 0 9 * * MON-FRI, alongside) -> remind{service mail} -> end
  # 2030-01-01 is a Tuesday.
  start p        | job work_timer due at 2030-01-01T09:00:00Z
  9h pass        | job mail waits, job work_timer due at 2030-01-02T09:00:00Z

story "a cron text of Flowable counts days from Sunday, one of Camunda from Monday"
  process p, flowable:  start -> work{user} -> end
                        work @timer(cron 0 0 9 ? * 2, alongside) -> remind{service mail} -> end
  process q, camunda:   start -> work{user} -> end
                        work @timer(cron 0 0 9 ? * 2, alongside) -> remind{service mail} -> end
  start p        | job work_timer due at 2030-01-07T09:00:00Z
  start q        | job work_timer due at 2030-01-01T09:00:00Z

story "a repetition ends at its end"
  process p, flowable:  start -> work{user} -> end
                        work @timer(R/PT4H/2030-01-01T09:00:00Z, alongside) -> remind{service mail} -> end
  start p        | job work_timer due in 4h
  4h pass        | job work_timer due in 4h
  4h pass        | job work_timer gone, 2 jobs mail
