//! Overtake: an exclusive job that waits for its turn goes before the one whose turn it is.
//!
//! Only an exclusive job that is locked keeps others of its instance from running. One that is
//! merely ready may be overtaken: by one that goes before it in the order of jobs, or by one that
//! somebody takes when nobody takes it.

use orloj_types::JobKey;

use crate::command::Rejection;
use crate::exclusive;
use crate::failure::Stop;
use crate::turn::Turn;

pub(crate) fn overtake(turn: &mut Turn<'_>, holder: JobKey, by: JobKey) -> Result<(), Stop> {
    match exclusive::overtake(turn, holder, by) {
        true => Ok(()),
        false => Err(Rejection::JobNotFound(by).into()),
    }
}
