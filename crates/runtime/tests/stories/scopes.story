story "each item has a job of its own"
  process order:  start -> pick{service pick, each items as item} -> end
  start order {"items": ["a", "b", "c"]} | 3 jobs pick
  worker w takes pick                   | got pick with {"item": "a", "items": ["a", "b", "c"], "loopCounter": 1}
  worker w completes pick               | 2 jobs pick
  restart
  worker x takes pick                   | got pick with {"item": "b", "items": ["a", "b", "c"], "loopCounter": 2}
  worker x completes pick               | 1 jobs pick
  worker y completes pick               | instance ended at end

story "items one by one"
  process order:  start -> pick{service pick, each items as item, one by one} -> end
  start order {"items": ["a", "b"]}     | 1 jobs pick
  worker w takes pick                   | got pick with {"item": "a", "items": ["a", "b"], "loopCounter": 1}
  worker w completes pick               | 1 jobs pick
  worker x completes pick               | instance ended at end

story "what was done is undone in reverse"
  process trip:  start -> hotel{service hotel} -> flight{service flight} -> undo{throw compensation} -> end
                 hotel @compensation -> unhotel{service unhotel}
                 flight @compensation -> unflight{service unflight}
  start trip
  worker w completes hotel
  restart
  worker w completes flight             | token at undo, job unflight waits
  worker w completes unflight
  worker w completes unhotel            | instance ended at end

story "a subprocess ends when everything in it has"
  process order:  start -> box{subprocess} -> after{user} -> end
                  in box: start -> f+ -> a{service a} -> end
                  in box: f -> b{service b} -> end
                  box @timer(10m) -> end late
  start order                           | job a waits, job b waits
  worker w completes a                  | token at box
  restart
  worker w completes b                  | task at after, no token at box
