//! What a suspension came to, now or later.

use orloj::Suspended;
use serde::Serialize;

use crate::wire::Key;

#[derive(Serialize)]
pub struct Suspension {
    /// How many definitions, instances and jobs it changed; null: it is still to come.
    affected: Option<u64>,
    /// The job that will do it at the moment asked for.
    job: Option<Key>,
}

impl From<Suspended> for Suspension {
    fn from(suspended: Suspended) -> Self {
        match suspended {
            Suspended::Done { affected } => Self { affected: Some(affected), job: None },
            Suspended::Scheduled(job) => Self { affected: None, job: Some(Key(job.raw())) },
        }
    }
}
