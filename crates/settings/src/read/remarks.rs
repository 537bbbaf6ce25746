//! What is worth a word though nothing is wrong.

use super::reader::{ENGINES, Reader};
use crate::error::Severity;
use crate::properties::UUIDS;
use crate::settings::IdGenerator;

const GENERATOR: &str = "ids.generator";

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
