//! What follows from a write about a chore: rows of its log, and its incident.
//!
//! The rules are the same for a node that runs the chore and for a person: a chore without retries
//! left has an incident, one that has some again has none, and what happened is told. All of it
//! goes with the change that makes it happen.

use std::sync::Arc;

use orloj_settings::Settings;
use orloj_store::{
    Change, ChoreEvent, ChoreLogRow, ChoreUpdate, ChoreWrite, FailureWrite, IncidentRow, JobKind,
    JobRow, LockWrite,
};
use orloj_types::{IncidentKey, Timestamp};

use super::super::Node;
use crate::history::is_chore_logged;

/// Of an incident that no failure has led to.
const BY_HAND: &str = "an operator has taken away the retries";
/// The word for a chore that failed for good and is of no process: Camunda's, which has batches.
pub(crate) const INCIDENT_WORD: &str = "failedJob";

#[derive(Clone, Copy, Debug)]
pub(crate) struct Following<'a> {
    pub settings: &'a Settings,
    pub now: Timestamp,
    /// The node that runs the chore; `None`: someone writes about it from outside.
    pub run_by: Option<&'a Arc<str>>,
    /// What an incident of it is called.
    pub word: &'a str,
}

impl Following<'_> {
    /// `row`: the chore before the write.
    pub fn add(&self, change: &mut Change, row: &JobRow, write: &ChoreWrite) {
        match write {
            ChoreWrite::Insert(row) => self.tell(change, self.row(row, ChoreEvent::Created)),
            ChoreWrite::Update(update) => self.updated(change, row, update),
            ChoreWrite::Delete { .. } => {
                let (event, closed) = match self.run_by {
                    Some(_) => (ChoreEvent::Successful, ChoreEvent::IncidentResolved),
                    None => (ChoreEvent::Deleted, ChoreEvent::IncidentDeleted),
                };
                self.tell(change, self.row(row, event));
                self.close(change, row, closed);
            }
        }
    }

    fn updated(&self, change: &mut Change, row: &JobRow, update: &ChoreUpdate) {
        match &update.failure {
            FailureWrite::Set { message, details, element } => {
                let failed = ChoreLogRow {
                    message: Some(message.clone()),
                    details: details.clone(),
                    failed_element: element.clone(),
                    ..self.row(row, ChoreEvent::Failed)
                };
                self.tell(change, failed);
            }
            // One that lives on has done its work for this time.
            FailureWrite::Clear if self.run_by.is_some() => {
                self.tell(change, self.row(row, ChoreEvent::Successful));
            }
            FailureWrite::Clear | FailureWrite::Keep => {}
        }
        match (row.retries_left > 0, update.retries_left > 0) {
            (false, true) => self.close(change, row, ChoreEvent::IncidentResolved),
            (true, false) if self.settings.jobs.incidents => self.open(change, row, update),
            _ => {}
        }
    }

    fn open(&self, change: &mut Change, row: &JobRow, update: &ChoreUpdate) {
        let message = match &update.failure {
            FailureWrite::Set { message, .. } => message.clone(),
            _ => row.failure.clone().unwrap_or_else(|| BY_HAND.into()),
        };
        let word: Arc<str> = self.word.into();
        let opened = ChoreLogRow {
            message: Some(message.clone()),
            incident: Some(word.clone()),
            retries: update.retries_left,
            ..self.row(row, ChoreEvent::IncidentOpened)
        };
        self.tell(change, opened);
        change.incidents_opened.push(incident_row(row, word, message, self.now));
    }

    fn close(&self, change: &mut Change, row: &JobRow, event: ChoreEvent) {
        let Some(key) = incidents_of(row).first().copied() else { return };
        if !change.incidents_gone.contains(&key) {
            change.incidents_gone.push(key);
        }
        if row.retries_left <= 0 {
            self.tell(change, self.row(row, event));
        }
    }

    fn row(&self, row: &JobRow, event: ChoreEvent) -> ChoreLogRow {
        let is_run = matches!(event, ChoreEvent::Failed | ChoreEvent::Successful);
        let run_by = self.run_by.filter(|name| is_run && !name.is_empty()).cloned();
        ChoreLogRow { run_by, ..ChoreLogRow::of(row, event, self.now) }
    }

    fn tell(&self, change: &mut Change, row: ChoreLogRow) {
        if is_chore_logged(self.settings) {
            change.chore_log.push(row);
        }
    }
}

impl Node {
    /// Adds what follows from the writes about chores that this node runs, and from new ones.
    /// Whoever writes about another chore knows its row, and sees to that itself.
    pub(in crate::node) fn follow_chores(&self, change: &mut Change) {
        let writes = std::mem::take(&mut change.chores);
        for write in &writes {
            let (row, run_by) = match write {
                ChoreWrite::Insert(row) => (row, None),
                // An order about a chore that is locked here.
                ChoreWrite::Update(ChoreUpdate { lock: LockWrite::Session(_), .. }) => continue,
                ChoreWrite::Update(ChoreUpdate { key, held, .. })
                | ChoreWrite::Delete { key, held } => match self.chore_row(*key) {
                    Some(row) if self.hold(row) == *held => (row, Some(&self.config.node_name)),
                    _ => continue,
                },
            };
            self.following(row, run_by).add(change, row, write);
        }
        change.chores = writes;
    }

    pub(super) fn following<'a>(
        &'a self,
        row: &JobRow,
        run_by: Option<&'a Arc<str>>,
    ) -> Following<'a> {
        let of_process = self.definitions.get(&row.definition);
        let of_process = of_process.filter(|_| row.kind == JobKind::StartTimer);
        let word = of_process.map(|known| orloj_interpreter::start_incident(&known.process));
        let (settings, now) = (&*self.config.settings, self.now);
        Following { settings, now, run_by, word: word.unwrap_or(INCIDENT_WORD) }
    }
}

/// The incident about a chore has its number.
pub(crate) fn incident_of(row: &JobRow) -> IncidentKey {
    IncidentKey::new(row.key.raw())
}

/// The incidents that go when a chore does.
pub(crate) fn incidents_of(row: &JobRow) -> Vec<IncidentKey> {
    // Only one that has failed, or whose retries were taken away, may have any.
    let may_have = row.failure.is_some() || row.retries_left <= 0;
    may_have.then(|| incident_of(row)).into_iter().collect()
}

fn incident_row(row: &JobRow, kind: Arc<str>, message: Arc<str>, now: Timestamp) -> IncidentRow {
    IncidentRow {
        key: incident_of(row),
        engine: row.engine.clone(),
        tenant: row.tenant.clone(),
        instance: row.instance,
        definition: row.definition,
        element_instance: row.element_instance,
        element: row.element.clone(),
        job: Some(row.key),
        kind,
        message,
        created_at: now,
        cause: incident_of(row),
        root_cause: incident_of(row),
        configuration: None,
        annotation: None,
    }
}
