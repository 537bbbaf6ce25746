# Escalations: told to someone further out, with or without an end of what told it.

story "an escalation that is caught alongside leaves its scope at work"
  process order:  start -> box{subprocess} -> end done
                  in box: start -> tell{throw escalation LATE} -> work{service work} -> end
                  box @escalation(LATE, alongside) -> boss{service boss} -> end told
  start order                  | job work waits, job boss waits, token at box
  worker w completes boss      | instance lives
  worker w completes work      | instance ended at done

story "an escalation that interrupts ends its scope"
  process c, camunda:   start -> box{subprocess} -> end done
                        in box: start -> both+ -> work{user} -> end
                        in box: both -> ask{user} -> end loud{escalation LATE}
                        box @escalation(LATE) -> boss{user} -> end told
  process f, flowable:  start -> box{subprocess} -> end done
                        in box: start -> both+ -> work{user} -> end
                        in box: both -> ask{user} -> end loud{escalation LATE}
                        box @escalation(LATE) -> boss{user} -> end told
  start c                      | c: task at work, c: task at ask
  start f                      | f: task at work, f: task at ask
  restart
  user completes ask of c      | c: no task at work, c: no token at box, c: task at boss
  user completes ask of f      | f: no task at work, f: no token at box, f: task at boss
  user completes boss of c     | c: instance ended at told
  user completes boss of f     | f: instance ended at told

story "the event of the code comes before the one for all, and nobody is no failure"
  process order:  start -> box{subprocess} -> end done
                  in box: start -> work{user} -> one{throw escalation ONE} -> two{throw escalation TWO} -> end
                  box @escalation(ONE, alongside) as first -> a{user} -> end
                  box @escalation(, alongside) as rest -> b{user} -> end
  process lonely: start -> tell{throw escalation ONE} -> end
  start order
  user completes work     | task at a, task at b, no token at box
  start lonely            | lonely: instance ended

story "an event subprocess hears an escalation of its scope"
  process order:  start -> work{user} -> tell{throw escalation LATE} -> more{user} -> end done
                  event help: start{escalation LATE, alongside} -> boss{user} -> end
  start order
  user completes work     | task at more, task at boss
  user completes more     | instance lives
  user completes boss     | instance ended
