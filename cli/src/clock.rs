//! The clock of this machine, for commands that evaluate.
#![expect(clippy::disallowed_methods, reason = "a command line runs now")]

use orloj_types::Timestamp;

pub fn now() -> Timestamp {
    Timestamp::from_ms(jiff::Timestamp::now().as_millisecond())
}
