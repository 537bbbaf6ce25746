//! Chores: jobs of no instance, such as start timers, parts of batches and clean-ups.
//!
//! They are acquired, ordered and queued like all jobs of the engine's own. A chore's row is all
//! there is of it, and every write about it names the lock under which it was begun. What a chore
//! does to instances and rows commits together with its own end, so that it takes effect once
//! however often it is begun. What the store does beside changes (settings, pruning) comes to the
//! same when it is done twice.
//!
//! A conflict costs no retry: the chore is given back and begun again.

mod at_work;
mod batch;
mod by_hand;
mod cleanup;
mod failing;
mod following;
mod giving_back;
mod monitor;
mod part;
mod run;
mod seed;
mod start_timer;
mod suspension;
mod writes;

pub(crate) use at_work::Chores;
pub use batch::{
    BatchConfig, BatchGroup, BatchWork, Modification, batch_job_definitions, batch_job_kind,
    batch_of_job_definition, refused_batch,
};
pub use cleanup::{CleanupPayload, cleanup_chore, cleanup_key, resting, windows_of};
pub(crate) use following::{Following, INCIDENT_WORD, incidents_of};
pub use part::PartPayload;
pub use seed::batch_chore;
pub(crate) use start_timer::new_chore;
pub use start_timer::{NewStartTimer, StartPayload, start_timer_chore};
pub use suspension::{
    LaterSuspension, Suspension, SuspensionOf, SuspensionScope, suspension_chore,
};
pub(crate) use writes::{Afterwards, ChoreEnd, held_by, kept, ordered, standing, written};

use at_work::Doing;
use writes::{batch_of, read};

use super::{Node, Phase};
