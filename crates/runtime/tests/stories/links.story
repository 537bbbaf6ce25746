# Link events: a flow that is not drawn.

story "a token goes on where its link leads, from several places"
  process order:  start -> x?{n > 1} -> high{throw link L}
                  x? -> low{throw link L}
                  into{link L} -> work{service work} -> end
  start order as a {"n": 2}     | a: job work waits
  restart
  worker w completes work       | a: instance ended
  start order as b {"n": 0}     | b: went start x low into work
  worker w completes work       | b: instance ended
