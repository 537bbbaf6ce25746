# Transactions: what a cancel end event undoes.

story "a cancelled transaction undoes what it did and goes on at its boundary event"
  process c, camunda:   start -> deal{subprocess, transactional} -> end done
                        in deal: start -> book{service book} -> ask{user} -> x?{good} -> end fine
                        in deal: x? -> end off{cancel}
                        in deal: book @compensation -> unbook{service unbook}
                        deal @cancel -> sorry{user} -> end gone
  process f, flowable:  start -> deal{subprocess, transactional} -> end done
                        in deal: start -> book{service book} -> ask{user} -> x?{good} -> end fine
                        in deal: x? -> end off{cancel}
                        in deal: book @compensation -> unbook{service unbook}
                        deal @cancel -> sorry{user} -> end gone
  start c
  worker w completes book                    | c: task at ask
  restart
  user completes ask of c {"good": false}    | c: job unbook waits, c: no task at sorry
  worker w completes unbook                  | c: task at sorry, c: no token at deal
  user completes sorry of c                  | c: instance ended at gone
  start f
  worker w completes book
  user completes ask of f {"good": false}    | f: job unbook waits, f: task at sorry
  worker w completes unbook                  | f: task at sorry, f: no token at deal
  user completes sorry of f                  | f: instance ended at gone

story "a transaction that is not cancelled undoes nothing"
  process c, camunda:   start -> deal{subprocess, transactional} -> end done
                        in deal: start -> book{service book} -> ask{user} -> x?{good} -> end fine
                        in deal: x? -> end off{cancel}
                        in deal: book @compensation -> unbook{service unbook}
                        deal @cancel -> end gone
  start c
  worker w completes book
  user completes ask {"good": true}    | instance ended at done
