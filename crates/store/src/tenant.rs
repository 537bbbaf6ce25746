//! Another tenant for what a deployment brought.

use std::fmt;
use std::sync::Arc;

use orloj_types::{DefinitionKey, DeploymentKey, TenantId, Timestamp};

/// Everything that has its tenant from the deployment gets another one, at once: its definitions,
/// decisions and files, the instances of its definitions with all that belongs to them and what is
/// kept of those that have ended, the jobs and the log of chores of its definitions. So do called
/// instances of other definitions that have their tenant from their caller. What names a tenant by
/// itself stays: messages, batches, limits, the log of operations.
///
/// Live instances get another revision: whoever has one in memory finds that out with the next
/// write, and reads it again.
#[derive(Clone, Debug)]
pub struct SetTenant {
    pub deployment: DeploymentKey,
    pub tenant: TenantId,
    pub now: Timestamp,
    /// Whether the log of chores tells of the start timers that go.
    pub logs_chores: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TenantSet {
    /// The version of the settings that says so. A node that has not seen it may still write what
    /// it has begun, with the tenant of before: the change is to be settled.
    Done(i64),
    NotFound,
    /// It has this tenant already.
    Same,
    /// The tenant has something that may be there once; nothing has changed.
    Taken(Taken),
    /// An earlier change of the deployment's tenant has to be settled first.
    Unsettled,
}

/// What stands in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    pub kind: TakenKind,
    pub id: Arc<str>,
    pub version: i32,
}

/// The numbers are those of the stores' statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum TakenKind {
    Process = 0,
    Decision = 1,
    DecisionFile = 2,
    Form = 3,
    Linked = 4,
    /// It starts another process there; it has no version.
    Message = 5,
}

impl TakenKind {
    pub const fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            0 => Self::Process,
            1 => Self::Decision,
            2 => Self::DecisionFile,
            3 => Self::Form,
            4 => Self::Linked,
            5 => Self::Message,
            _ => return None,
        })
    }
}

impl fmt::Display for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, id, version } = self;
        let noun = match kind {
            TakenKind::Message => return write!(f, "another process that message '{id}' starts"),
            TakenKind::Process => "process",
            TakenKind::Decision => "decision",
            TakenKind::DecisionFile => "the file of decisions",
            TakenKind::Form => "form",
            TakenKind::Linked => "resource",
        };
        write!(f, "version {version} of {noun} '{id}'")
    }
}

/// A definition that has another tenant than the one it was deployed with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedDefinition {
    pub key: DefinitionKey,
    pub tenant: TenantId,
    pub deployment: DeploymentKey,
    pub is_settled: bool,
}
