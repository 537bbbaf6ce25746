//! Taking a version of a process away.

use orloj_types::{DefinitionKey, Timestamp};

use crate::rows::{DefinitionRow, JobRow};
use crate::start::{NewStart, StartRow};

/// A definition that is to start nothing any more. Its row stays, for the instances that run and
/// for history.
#[derive(Clone, Debug)]
pub struct DeleteDefinition {
    pub key: DefinitionKey,
    /// The version before it, where the latest is deleted and there is one.
    pub heir: Option<Heir>,
    pub now: Timestamp,
    /// Whether the log of chores tells of the start timers that go and come.
    pub logs_chores: bool,
}

/// A version that becomes the latest again, with what it starts by.
#[derive(Clone, Debug)]
pub struct Heir {
    pub definition: DefinitionKey,
    pub starts: Vec<NewStart>,
    pub chores: Vec<JobRow>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefinitionDeleted {
    /// The version of the settings that says so.
    Done(i64),
    NotFound,
    /// The heir is not the version that is the latest now; nothing has changed.
    Overtaken,
}

impl DeleteDefinition {
    /// Whether the heir is the right one. `live`: the versions of the process that are not deleted,
    /// the latest first.
    pub fn agrees_with(&self, live: &[DefinitionKey]) -> bool {
        let expected = match live {
            [latest, rest @ ..] if *latest == self.key => rest.first(),
            _ => None,
        };
        self.heir.as_ref().map(|heir| &heir.definition) == expected
    }

    /// The start events that come back. `deleted` is of the same process as the heir.
    pub fn starts(&self, deleted: &DefinitionRow) -> Vec<StartRow> {
        let Some(heir) = &self.heir else { return Vec::new() };
        let rows = heir.starts.iter().map(|start| StartRow {
            definition: heir.definition,
            engine: deleted.engine.clone(),
            tenant: deleted.tenant.clone(),
            process_id: deleted.process_id.clone(),
            event: start.event.clone(),
            kind: start.kind,
            name: start.name.clone(),
        });
        rows.collect()
    }
}
