//! What is worth a word though nothing is wrong.

use super::reader::{ENGINES, Reader};
use crate::error::Severity;
use crate::properties::UUIDS;
use crate::settings::IdGenerator;
use crate::value::shortened;

const GENERATOR: &str = "ids.generator";

/// Camunda's words for what batches do, also for the two that are not done yet.
const BATCH_KINDS: [&str; 14] = [
    "instance-migration",
    "instance-modification",
    "instance-restart",
    "instance-deletion",
    "instance-update-suspension-state",
    "set-job-retries",
    "set-external-task-retries",
    "set-variables",
    "correlate-message",
    "historic-instance-deletion",
    "historic-decision-instance-deletion",
    "process-set-removal-time",
    "decision-set-removal-time",
    "batch-set-removal-time",
];

impl Reader {
    /// Keys stay what they are until there is a face that shows ids as text.
    pub(super) fn warn_of_uuids(&mut self) {
        let engines = self.settings.engines.iter().map(|(name, settings)| {
            (format!("{ENGINES}.{name}.{GENERATOR}"), settings.ids.generator)
        });
        let all = std::iter::once((GENERATOR.to_owned(), self.settings.ids.generator));
        let wanted: Vec<String> = all
            .chain(engines)
            .filter(|(_, generator)| *generator == IdGenerator::Uuid)
            .map(|(knob, _)| knob)
            .collect();
        for knob in wanted {
            // An engine that only follows the others was warned of with them.
            let Some(origin) = self.origins.get(&knob).cloned() else { continue };
            let name = origin.property.unwrap_or_else(|| GENERATOR.to_owned());
            self.said(Severity::Warning, &name, origin.place, format!("is not done: {UUIDS}"));
        }
    }

    /// Nothing is lost by it, and a later version may know the kind.
    pub(super) fn warn_of_batch_kinds(&mut self) {
        let all = std::iter::once((String::new(), &self.settings.batches));
        let engines = self.settings.engines.iter();
        let engines = engines.map(|(name, own)| (format!("{ENGINES}.{name}."), &own.batches));
        let mut unknown = Vec::new();
        for (prefix, batches) in all.chain(engines) {
            let items = batches.invocations_per_job_by_kind.keys();
            let items = items.map(|kind| ("batches.invocations_per_job_by_kind", kind));
            let kept = batches.ttl_by_kind.keys().map(|kind| ("batches.ttl_by_kind", kind));
            for (knob, kind) in items.chain(kept) {
                if !BATCH_KINDS.contains(&kind.as_str()) {
                    unknown.push((format!("{prefix}{knob}"), knob, shortened(kind)));
                }
            }
        }
        for (place, knob, kind) in unknown {
            // An engine that only follows the others was warned of with them.
            let Some(origin) = self.origins.get(&place).cloned() else { continue };
            let name = origin.property.unwrap_or_else(|| knob.to_owned());
            let known = BATCH_KINDS.join(", ");
            let message = format!("there are no batches of the kind '{kind}', only {known}");
            self.said(Severity::Warning, &name, origin.place, message);
        }
    }

    /// Nothing forbids it, since another node may take them.
    pub(super) fn warn_of_unreachable(&mut self) {
        let executor = &self.settings.executor;
        let range = executor.priority_min..=executor.priority_max;
        let priorities = [
            ("batches.priority", self.settings.batches.priority),
            ("history.cleanup.priority", self.settings.history.cleanup.priority),
        ];
        for (knob, priority) in priorities {
            if !range.contains(&priority) {
                let place = match self.origins.get("executor.priority_min") {
                    Some(origin) => origin.place.clone(),
                    None => "executor.priority_max".to_owned(),
                };
                let message = format!(
                    "{priority} lies outside the priorities that this node takes, {} to {}",
                    range.start(),
                    range.end()
                );
                self.said(Severity::Warning, knob, place, message);
            }
        }
    }
}
