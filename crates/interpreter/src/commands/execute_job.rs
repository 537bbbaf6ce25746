//! ExecuteJob: someone has a job run by hand. Due date, retries, suspension and the queue of
//! exclusive jobs do not matter. When the run fails the job fails as if the executor had run it,
//! and the outcome says so.

use orloj_types::JobKey;

use super::run_job::{find, perform};
use crate::failure::Stop;
use crate::turn::Turn;

pub(crate) fn execute_job(turn: &mut Turn<'_>, key: JobKey) -> Result<(), Stop> {
    let (host, _) = find(turn, key)?;
    perform(turn, host, key)?;
    Ok(())
}
