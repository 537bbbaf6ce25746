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
    /// A deployed file that an element refers to.
    Asset(WantedAsset),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WantedAsset {
    pub kind: AssetKind,
    /// The author's name for it.
    pub id: Arc<str>,
    pub binding: Bound,
    pub tenant: TenantId,
    /// The definition that refers to it: its deployment may be meant.
    pub definition: DefinitionKey,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AssetKind {
    /// What people fill in.
    Form,
    /// What a worker is told of.
    Linked,
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
    /// The key of the version that is meant.
    Asset(Option<i64>),
}
