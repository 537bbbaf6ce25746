//! The clock of this machine, for commands that evaluate.
#![expect(clippy::disallowed_methods, reason = "a command line runs now")]

use std::time::Duration;

use orloj_types::Timestamp;

/// Between two looks at something that goes on: people see no difference to less.
const PAUSE: Duration = Duration::from_millis(500);

pub fn now() -> Timestamp {
    Timestamp::from_ms(jiff::Timestamp::now().as_millisecond())
}

pub fn pause() {
    std::thread::sleep(PAUSE);
}
