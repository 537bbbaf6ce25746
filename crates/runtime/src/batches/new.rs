//! What a batch is made of.

use std::sync::Arc;

use orloj_store::{BatchFilter, EndedFilter, InstanceFilter, JobFilter};
use orloj_types::{BatchKey, InstanceKey, JobKey, TenantId};

use crate::api::Error;
use crate::node::chores::BatchWork;

/// Most elements of one batch: their keys are some megabytes in its row.
pub const BATCH_ELEMENTS_MAX: usize = 1_000_000;

/// What a batch is made of.
#[derive(Clone, Debug)]
pub struct NewBatch {
    pub work: BatchWork,
    pub elements: BatchElements,
    pub tenant: TenantId,
    pub created_by: Option<Arc<str>>,
    /// Nothing of it happens before it is activated.
    pub suspended: bool,
}

impl NewBatch {
    pub fn new(work: BatchWork, elements: BatchElements) -> Self {
        let (tenant, created_by) = (TenantId::none(), None);
        Self { work, elements, tenant, created_by, suspended: false }
    }
}

/// Named by key and found by filter; each counts once.
#[expect(clippy::large_enum_variant, reason = "one is made for a whole batch")]
#[derive(Clone, Debug)]
pub enum BatchElements {
    Instances {
        keys: Vec<InstanceKey>,
        filter: Option<InstanceFilter>,
    },
    Ended {
        keys: Vec<InstanceKey>,
        filter: Option<EndedFilter>,
    },
    Jobs {
        keys: Vec<JobKey>,
        filter: Option<JobFilter>,
    },
    /// Ended ones.
    Batches {
        keys: Vec<BatchKey>,
        filter: Option<BatchFilter>,
    },
}

impl BatchElements {
    pub fn instances(keys: impl IntoIterator<Item = InstanceKey>) -> Self {
        Self::Instances { keys: keys.into_iter().collect(), filter: None }
    }

    pub fn ended(keys: impl IntoIterator<Item = InstanceKey>) -> Self {
        Self::Ended { keys: keys.into_iter().collect(), filter: None }
    }

    pub fn batches(keys: impl IntoIterator<Item = BatchKey>) -> Self {
        Self::Batches { keys: keys.into_iter().collect(), filter: None }
    }

    pub fn jobs(keys: impl IntoIterator<Item = JobKey>) -> Self {
        Self::Jobs { keys: keys.into_iter().collect(), filter: None }
    }
}

/// What can be told to be wrong before anything happens.
pub(super) fn check(work: &BatchWork) -> Result<(), Error> {
    match work {
        BatchWork::SetJobRetries { retries, .. }
        | BatchWork::SetExternalTaskRetries { retries }
            if *retries < 0 =>
        {
            Err(orloj_interpreter::Rejection::RetriesNegative(*retries).into())
        }
        BatchWork::MoveDeadLetters { retries } if *retries < 1 => {
            Err(orloj_interpreter::Rejection::RetriesTooFew(*retries).into())
        }
        BatchWork::SetVariables { variables } | BatchWork::CorrelateMessage { variables, .. } => {
            Ok(orloj_types::Document::parse(variables).map(drop)?)
        }
        BatchWork::InstanceModification { instructions } if instructions.is_empty() => {
            Err(Error::Invalid("a modification needs at least one instruction".into()))
        }
        _ => Ok(()),
    }
}
