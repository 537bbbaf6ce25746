//! What the rows of an instance name once it is one of another definition.

use orloj_interpreter::{JobChange, Record};
use orloj_store::Migration;
use orloj_types::ElementId;

use super::Node;

impl Node {
    /// Of the rows that were there before; all jobs of the instance are among its changes then, and
    /// its subscriptions are opened anew.
    pub(super) fn migration(
        &self,
        old: Option<&Record>,
        new: &Record,
        jobs: &[JobChange],
    ) -> Option<Migration> {
        old.filter(|old| old.definition != new.definition)?;
        let moved = |change: &JobChange| match change {
            JobChange::Update { row, .. } => Some((row.job.key, row.element.clone())),
            JobChange::Insert(_) | JobChange::Delete(_) => None,
        };
        let mut migration = Migration {
            instance: new.instance,
            definition: new.definition,
            jobs: jobs.iter().filter_map(moved).collect(),
            user_tasks: Vec::new(),
            incidents: Vec::new(),
        };
        let process = self.definitions.get(&new.definition).map(|known| &known.process.id);
        for holder in new.holders() {
            // The instance itself is named by its process.
            let element = match process {
                Some(process) if holder.key == new.root.key => ElementId::from(&**process),
                _ => holder.element.clone(),
            };
            let incidents = holder.incident.iter().chain(&holder.timer_incidents);
            migration.incidents.extend(incidents.map(|incident| {
                let event = incident.job.and_then(|job| holder.event_of(job));
                (incident.key, event.unwrap_or(&element).clone())
            }));
            migration.user_tasks.extend(holder.user_task.map(|key| (key, element)));
        }
        Some(migration)
    }
}
