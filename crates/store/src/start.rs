//! Start events of definitions that a message, a signal or a condition sets off. Only those of the
//! latest version of a process are stored. Start timers are chores.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_types::{DefinitionKey, ElementId, EngineName, ProcessId, TenantId};

use crate::rows::{DefinitionRow, NewDeployment};

/// Written with its definition, in the place of those of the version before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewStart {
    pub event: ElementId,
    pub kind: StartKind,
    /// Of the message or signal; empty where there is none.
    pub name: Arc<str>,
}

/// The numbers are part of the stored format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum StartKind {
    Message = 0,
    Signal = 1,
    Condition = 3,
}

impl StartKind {
    pub const fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            0 => Self::Message,
            1 => Self::Signal,
            3 => Self::Condition,
            _ => return None,
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartRow {
    pub definition: DefinitionKey,
    pub engine: EngineName,
    pub tenant: TenantId,
    pub process_id: ProcessId,
    pub event: ElementId,
    pub kind: StartKind,
    pub name: Arc<str>,
}

/// Absent fields match all. By definition, oldest first, then by event.
#[derive(Clone, Debug)]
pub struct StartQuery {
    pub engine: EngineName,
    pub tenant: Option<TenantId>,
    pub kind: StartKind,
    pub name: Option<Arc<str>>,
    pub after: Option<(DefinitionKey, ElementId)>,
    /// Clamped to [`crate::PAGE_ROWS_MAX`].
    pub limit: u32,
}

/// The rows of a deployment that got these definitions: of each process those of its last one.
pub fn starts_of(new: &NewDeployment, definitions: &[DefinitionRow]) -> Vec<StartRow> {
    let given = new.resources.iter().flat_map(|resource| &resource.definitions);
    let mut last = BTreeMap::new();
    for (definition, row) in given.zip(definitions) {
        last.insert(&row.process_id, (row, &definition.starts));
    }
    let rows = last.into_values().flat_map(|(row, starts)| {
        starts.iter().map(|start| StartRow {
            definition: row.key,
            engine: row.engine.clone(),
            tenant: row.tenant.clone(),
            process_id: row.process_id.clone(),
            event: start.event.clone(),
            kind: start.kind,
            name: start.name.clone(),
        })
    });
    rows.collect()
}
