//! Instances that go on as ones of another process, on the interpreter alone.

use orloj_interpreter::{Command, Migrate};
use orloj_types::InstanceKey;

use super::depth::Refusal;
use super::pure::Pure;

impl Pure {
    pub(super) fn migrate_to(
        &mut self,
        key: InstanceKey,
        process: &str,
        plan: &[(String, String)],
    ) -> Result<(), Refusal> {
        let latest = self.processes.get(process).and_then(|versions| versions.last()).cloned();
        let (definition, target) =
            latest.ok_or_else(|| Refusal(format!("no process {process}")))?;
        let plan = plan.iter().map(|(from, to)| (from.as_str().into(), to.as_str().into()));
        let command =
            Command::Migrate(Migrate { definition, target: target.clone(), plan: plan.collect() });
        let done = self.interpret(key, command);
        if done.is_ok()
            && let Some(instance) = self.instances.get_mut(&key)
        {
            instance.process_id = target.id.to_string();
            instance.process = target;
            for holder in instance.record.iter().flat_map(|record| record.holders()) {
                for incident in holder.incident.iter().chain(&holder.timer_incidents) {
                    if let Some((_, row)) = self.incidents.get_mut(&incident.key) {
                        let event = incident.job.and_then(|job| holder.event_of(job));
                        row.element = event.unwrap_or(&holder.element).clone();
                    }
                }
            }
        }
        self.settle();
        done.map_err(|rejection| Refusal::from(&rejection))
    }
}
