//! Chores take effect once.

use orloj::node::chores::{BatchConfig, PartPayload};
use orloj_store::{BatchWrite, Change, ChoreWrite, InstanceWrite, JobKind, JobRow};

use super::groups::Before;
use super::{Checker, Violation};

impl Checker {
    pub(super) fn chores(&mut self, before: &Before, change: &Change) -> Result<(), Violation> {
        for write in &change.batches {
            let BatchWrite::Insert(row) = write else { continue };
            let config = BatchConfig::read(row).map_err(|e| Violation::new("chores", e))?;
            let elements = config.groups.iter().flat_map(|group| &group.elements);
            self.elements.extend(elements.map(|element| (row.key, *element)));
        }
        for write in &change.chores {
            let Some(old) = before.jobs.get(&write.key()) else { continue };
            match old.kind {
                JobKind::BatchPart => self.part(old, write)?,
                JobKind::StartTimer => self.firing(old, write, change)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn part(&mut self, old: &JobRow, write: &ChoreWrite) -> Result<(), Violation> {
        let batch = old.batch.unwrap_or_default();
        let had = elements_of(old.payload.as_deref());
        let left = match write {
            ChoreWrite::Update(update) => match &update.payload {
                Some(payload) => elements_of(Some(payload)),
                None => return Ok(()),
            },
            ChoreWrite::Insert(_) | ChoreWrite::Delete { .. } => Vec::new(),
        };
        for element in had.iter().filter(|element| !left.contains(element)) {
            if !self.elements_done.insert((batch, *element)) {
                let message = format!("element {element} of batch {batch} is done twice");
                return Err(Violation::new("chores", message));
            }
        }
        Ok(())
    }

    /// A start timer goes only with what it starts.
    fn firing(
        &mut self,
        old: &JobRow,
        write: &ChoreWrite,
        change: &Change,
    ) -> Result<(), Violation> {
        if !matches!(write, ChoreWrite::Delete { .. }) {
            return Ok(());
        }
        let inserted = change.instances.iter().any(
            |write| matches!(write, InstanceWrite::Insert(row) if row.definition == old.definition),
        );
        let ended = change.ended.iter().any(|row| row.definition == old.definition);
        if !inserted && !ended {
            let message = format!("start timer {} is gone and has started nothing", old.key);
            return Err(Violation::new("chores", message));
        }
        let due_ms = old.due_at.map_or(0, |at| at.as_ms());
        if !self.firings.insert((old.definition, due_ms.unsigned_abs())) {
            let message = format!("start timer {} fires twice for one moment", old.key);
            return Err(Violation::new("chores", message));
        }
        Ok(())
    }

    pub(super) fn batches_are_done(&self) -> Result<(), Violation> {
        match self.elements.symmetric_difference(&self.elements_done).next() {
            None => Ok(()),
            Some((batch, element)) => {
                let message = format!("element {element} of batch {batch} is left, or nobody's");
                Err(Violation::new("chores", message))
            }
        }
    }
}

fn elements_of(payload: Option<&[u8]>) -> Vec<i64> {
    payload.and_then(PartPayload::read).unwrap_or_default().elements
}
