//! What is written on a process and not on its elements.

use orloj_expr::Expression;
use orloj_xml::quoted;

use crate::graph::{HistoryDepth, TimeToLive};
use crate::options::Dialect;
use crate::read::context::{Context, Subject};
use crate::read::expression::is_uel;
use crate::read::limits::ID_CHARS_MAX;

/// Longest version tag: what Camunda's column holds.
const VERSION_TAG_CHARS_MAX: usize = 64;

impl<'a> Context<'a> {
    /// Everything of a process that is only checked.
    pub fn check_process_settings(&mut self, subject: &Subject<'a>) {
        for name in ["candidateStarterUsers", "candidateStarterGroups"] {
            let written = self.extension_attribute(subject.node, name);
            if let Some(written) = written.filter(|_| self.dialect != Dialect::Zeebe) {
                // Only whether it parses matters.
                let _ = self.value(subject, &written);
            }
        }
        if self.dialect == Dialect::Camunda7 {
            self.check_camunda_columns(subject);
            if let Some(name) = self.attribute(subject.node, "name") {
                self.check_length(subject, "name", &name.text, ID_CHARS_MAX);
            }
            if let Some(tag) = self.extension_attribute(subject.node, "versionTag") {
                self.check_length(subject, "versionTag", &tag.text, VERSION_TAG_CHARS_MAX);
            }
        }
    }

    /// What is written down with the definition, where only so much of it has a place.
    fn check_camunda_columns(&mut self, subject: &Subject<'a>) {
        let definitions = subject.node.document().root_element();
        if let Some(namespace) = self.attribute(definitions, "targetNamespace") {
            self.check_length(subject, "targetNamespace", &namespace.text, ID_CHARS_MAX);
        }
        for name in ["candidateStarterUsers", "candidateStarterGroups"] {
            let Some(written) = self.extension_attribute(subject.node, name) else { continue };
            // An expression counts as it is written, but its commas part nothing.
            if is_uel(&written.text) {
                self.check_length(subject, name, &written.text, ID_CHARS_MAX);
                continue;
            }
            for one in written.text.split(',') {
                self.check_length(subject, name, one.trim(), ID_CHARS_MAX);
            }
        }
    }

    /// The name that starts instances is written down with the definition too.
    pub fn check_start_name(&mut self, subject: &Subject<'a>, what: &str, name: &Expression) {
        if self.dialect == Dialect::Zeebe {
            return;
        }
        if let Some(text) = self.constant_text(subject, name) {
            self.check_length(subject, what, &text, ID_CHARS_MAX);
        }
    }

    pub fn check_length(&mut self, subject: &Subject<'a>, what: &str, text: &str, max: usize) {
        if text.chars().nth(max).is_some() {
            let message = format!("{what} of {} is longer than {max} characters", subject.title());
            self.error(subject, "text-too-long", message);
        }
    }

    /// `P5D` or a number of days; nothing at all is something else than no attribute.
    pub fn time_to_live(&mut self, subject: &Subject<'a>) -> Option<TimeToLive> {
        if self.dialect != Dialect::Camunda7 {
            return None;
        }
        let written = self.extension_attribute(subject.node, "historyTimeToLive")?;
        let text = &*written.text;
        if text.is_empty() {
            return Some(TimeToLive::Unlimited);
        }
        let days = text.strip_prefix('P').and_then(|rest| rest.strip_suffix('D')).unwrap_or(text);
        let number = days.parse::<u32>().ok().filter(|days| i32::try_from(*days).is_ok());
        if number.is_none() || !days.starts_with(|c: char| c.is_ascii_digit()) {
            let message = format!(
                "historyTimeToLive of {} is neither a number of days nor like P5D but {}",
                subject.title(),
                quoted(text)
            );
            self.error_at(subject, written.offset, "time-to-live-invalid", message);
            return None;
        }
        number.map(TimeToLive::Days)
    }

    /// Flowable's `historyLevel`; it counts where the configuration says so. Levels between those
    /// kept here become the next higher one.
    pub fn history_depth(&mut self, subject: &Subject<'a>) -> Option<HistoryDepth> {
        if self.dialect != Dialect::Flowable {
            return None;
        }
        let node = self.extension(subject, "historyLevel")?;
        let text = node.text().unwrap_or_default().trim();
        match text.to_ascii_lowercase().as_str() {
            "none" => Some(HistoryDepth::Nothing),
            "instance" | "task" | "activity" => Some(HistoryDepth::Activities),
            "audit" => Some(HistoryDepth::Variables),
            "full" => Some(HistoryDepth::All),
            _ => {
                let message = format!(
                    "historyLevel of {} is none of none, instance, task, activity, audit and full \
                     but {}",
                    subject.title(),
                    quoted(text)
                );
                self.warn_at(subject, node.range().start, "history-level-unknown", message);
                None
            }
        }
    }
}
