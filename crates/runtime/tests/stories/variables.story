# Variables: instance scope, local scope, mappings.

story "input mappings make local variables and output mappings choose what leaves"
  process order:  start -> pay{service charge, in amount = total * 2, out paid = receipt} -> end
  start order {"total": 45}                         | variables {"amount": 90} at pay
  worker anna takes charge                          | got charge with {"amount": 90, "total": 45}
  worker anna completes charge {"receipt": 7, "noise": 1} | instance ended, variables {"paid": 7, "total": 45}

story "without mappings a completion merges into the instance"
  process order:  start -> pay{service charge} -> ask{user} -> end
  start order {"total": 45}
  worker anna completes charge {"total": 44, "paid": true}  | variables {"paid": true, "total": 44}

story "variables are set where they are, else outward, or locally on demand"
  process order:  start -> pay{service charge, in amount = 1} -> end
  start order {"total": 45}
  set {"amount": 2, "extra": 3} at pay        | variables {"amount": 2} at pay, variables {"extra": 3, "total": 45}
  set {"total": 9} locally at pay             | variables {"amount": 2, "total": 9} at pay, variable total = 45
  set {"total": 46}                           | variable total = 46, variable total = 9 at pay
  worker anna takes charge                    | got charge with {"amount": 2, "extra": 3, "total": 9}

story "a failing worker leaves its variables where they are needed next"
  process order:  start -> pay{service charge} -> end
  start order {"total": 45}
  worker anna fails charge leaving 1 retries {"seen": true}  | variables {"seen": true} at pay, no variable seen
  worker ben takes charge                                    | got charge with {"seen": true, "total": 45}

story "large values and every kind of value survive"
  process order:  start -> ask{user} -> end
  start order {"text": "Ořloj", "list": [1, {"a": null}], "no": false, "half": 0.5, "large": "0123456789012345678901234567890123456789012345678901234567890123456789"}
  restart              | variable text = "Ořloj", variable list = [1,{"a":null}], variable half = 0.5, variable no = false
  user completes ask   | instance ended, variable text = "Ořloj"

story "what a mapping cannot compute is null"
  process order:  start -> pay{service charge, out paid = receipt + 1} -> end
  start order
  worker anna completes charge {"receipt": "none"}  | instance ended, variables {"paid": null}
