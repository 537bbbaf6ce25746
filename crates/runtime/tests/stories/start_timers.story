story "a timer starts an instance as often as it says"
  process daily:  start{timer R3/10s} -> work{service work} -> end
  look                                  | 0 instances of daily
  10s pass                              | 1 instances of daily, daily: job work waits
  restart
  10s pass                              | 2 instances of daily
  10s pass                              | 3 instances of daily
  10s pass                              | 3 instances of daily

story "a timer starts an instance once"
  process later, camunda:  start{timer 1h} -> ask{user} -> end
  59m pass                              | 0 instances of later
  1m passes                             | 1 instances of later, later: task at ask
  1h passes                             | 1 instances of later

story "a timer start event that fails is tried again, and the next of its repetition is not held up"
  delegate A: fails 5 times
  process p, camunda:  start{timer R3/10m} -> a{delegate A} -> end
  10m pass         | A called 3 times
  10m pass         | A called 6 times, 1 instances of p
