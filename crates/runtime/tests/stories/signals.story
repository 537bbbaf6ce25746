story "a signal is heard by all that wait, and starts what waits for it"
  process order:  start -> wait{signal go} -> end
  process begun:  start{signal go} -> ask{user} -> end
  start order as one
  start order as two
  signal go {"n": 1}                    | one: instance ended, two: instance ended, two: variable n = 1
                                        | 1 instances of begun, begun: variable n = 1
  signal go                             | 2 instances of begun
  signal other                          | nothing

story "a signal thrown by an instance is heard by the others"
  process sender:  start -> work{service work} -> tell{throw signal go} -> end
  process order:   start -> wait{signal go} -> again{signal go} -> end
  start order as one
  start sender
  worker w completes work               | sender: instance ended, one: token at again
  signal go                             | one: instance ended

story "a signal on the boundary"
  process order, camunda:  start -> ask{user} -> end
                           ask @signal(stop) -> end stopped
                           ask @signal(ping, alongside) as ping -> note{user} -> end noted
  start order
  signal ping                           | task at note, task at ask
  signal ping                           | 2 tokens at note
  signal stop                           | no task at ask
