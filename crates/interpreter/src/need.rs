//! What a command needs besides the instance it was given.

use std::sync::Arc;

use orloj_model::Process;
use orloj_types::{DefinitionKey, InstanceKey, TenantId};

use crate::invoke::Bound;
use crate::record::Record;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// The process that a call activity names.
    Definition(CalledProcess),
    /// A caller, or a called instance.
    Instance(InstanceKey),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalledProcess {
    pub process: Arc<str>,
    pub binding: Bound,
    pub tenant: TenantId,
    /// Where the tenant has no such process, that of no tenant is taken.
    pub falls_back_to_no_tenant: bool,
    /// The definition that calls: its deployment may be meant.
    pub caller: DefinitionKey,
}

/// The answer to a [`Need`]; `None`: there is no such thing.
#[derive(Clone, Debug)]
pub enum Supply {
    Definition(Option<(DefinitionKey, Arc<Process>)>),
    Instance(Option<(Arc<Process>, Arc<Record>)>),
}
