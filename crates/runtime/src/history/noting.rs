//! What a command leaves in the history of an instance.
//!
//! Variables are compared before and after the command, so that a command that leaves them alone
//! pays for a comparison of pointers.
//!
//! DIFFERENCE: Camunda writes a row for every assignment. Here a value that the same command
//! replaces, and a variable that comes and goes within one command, leave no trace.

use std::sync::Arc;

use orloj_interpreter::{End, Event, Record, Scopes, ended_scopes, variable_changes};
use orloj_settings::HistoryLevel;
use orloj_store::format::{EventFields, EventKind, Stretch};
use orloj_types::{ElementInstanceKey, StoredValue, Timestamp};

use super::level::keeps;
use crate::codec::{self, Origin};

/// Longer values are cut: the whole one is with the live instance, or in the row of the ended one
/// if it was the instance's own. As long as a failure's message.
pub const VALUE_BYTES_MAX: usize = 4_096;

/// What a stretch has room for from its beginning: a few steps.
const STRETCH_BYTES: usize = 512;

/// One command's part, still to be written down.
pub(crate) struct Deed<'a> {
    pub events: &'a [Event],
    /// `None`: the command has started the instance.
    pub before: Option<&'a Record>,
    /// `None`: it has ended.
    pub after: Option<&'a Record>,
    pub end: Option<&'a End>,
}

/// Appends it to the instance's current stretch of history.
pub(crate) fn note(
    stretch: &mut Stretch,
    level: HistoryLevel,
    deed: &Deed<'_>,
    origin: Origin,
    now: Timestamp,
) {
    if level == HistoryLevel::None {
        return;
    }
    stretch.reserve_first(STRETCH_BYTES);
    // The end of an instance is the last that is told of it.
    let (events, last) = match deed.events.split_last() {
        Some((Event::InstanceEnded { .. }, before)) => deed.events.split_at(before.len()),
        _ => (deed.events, &[][..]),
    };
    let is_kept = |kind| keeps(level, kind);
    codec::append_events(stretch, events, origin, now, is_kept);
    if level >= HistoryLevel::Audit {
        note_variables(&mut Writer { stretch, level, origin, now }, deed);
    }
    codec::append_events(stretch, last, origin, now, is_kept);
}

struct Writer<'a> {
    stretch: &'a mut Stretch,
    level: HistoryLevel,
    origin: Origin,
    now: Timestamp,
}

fn note_variables(writer: &mut Writer<'_>, deed: &Deed<'_>) {
    let nothing = Scopes::new();
    let before = deed.before.map_or(&nothing, |record| &record.variables);
    let mut at_end = Scopes::new();
    let after = match (deed.after, deed.end) {
        (Some(record), _) => &record.variables,
        (None, Some(end)) => {
            at_end.insert(writer.origin.instance.root_scope(), end.variables.0.clone());
            &at_end
        }
        (None, None) => return,
    };
    for change in variable_changes(before, after) {
        let kind = match (&change.before, &change.after) {
            (None, _) => EventKind::VariableCreated,
            (Some(_), Some(_)) => EventKind::VariableUpdated,
            (Some(_), None) => EventKind::VariableDeleted,
        };
        let value = change.after.as_ref();
        writer.write(kind, change.scope, &change.name, value);
    }
    if keeps(writer.level, EventKind::VariableEnded) {
        for (scope, variables) in ended_scopes(before, after) {
            for (name, value) in variables {
                writer.write(EventKind::VariableEnded, scope, name, Some(value));
            }
        }
    }
}

impl Writer<'_> {
    fn write(
        &mut self,
        kind: EventKind,
        scope: ElementInstanceKey,
        name: &Arc<str>,
        value: Option<&StoredValue>,
    ) {
        if !keeps(self.level, kind) {
            return;
        }
        // At the level of current values a new variable's value is told later, once.
        let is_told = self.level == HistoryLevel::Full || kind == EventKind::VariableEnded;
        let json = value.filter(|_| is_told).map(StoredValue::to_json).unwrap_or_default();
        let kept = &json[..json.floor_char_boundary(VALUE_BYTES_MAX.min(json.len()))];
        let was_cut = kept.len() < json.len();
        self.stretch.append(EventFields {
            kind: kind as u32,
            at_ms: self.now.ms_since(self.origin.started_at),
            of: scope.raw() - self.origin.instance.raw(),
            name,
            message: kept,
            number: if was_cut { i64::try_from(json.len()).unwrap_or(i64::MAX) } else { 0 },
            second: value.map_or(0, |value| i64::from(value.tag as u8)),
            ..EventFields::default()
        });
    }
}

#[cfg(test)]
mod tests {
    use orloj_store::format::decode_events;
    use orloj_types::{Document, InstanceKey};

    use super::*;

    #[test]
    fn long_values_are_cut_between_characters() {
        let long = "é".repeat(VALUE_BYTES_MAX);
        let end = End {
            how: orloj_interpreter::EndKind::Completed,
            variables: Document::new().with("short", 7_i64).with("long", &*long),
            business_key: None,
            caller: None,
        };
        let events = [Event::InstanceEnded { how: end.how }];
        let deed = Deed { events: &events, before: None, after: None, end: Some(&end) };
        let origin = Origin { instance: InstanceKey::new(50), started_at: Timestamp::ZERO };
        let told = |level| {
            let mut stretch = Stretch::default();
            note(&mut stretch, level, &deed, origin, Timestamp::from_ms(3));
            decode_events(stretch.bytes()).expect("whole")
        };
        let full = told(HistoryLevel::Full);
        assert_eq!(full.len(), 3);
        assert_eq!((&*full[0].name, full[0].number), ("long", 2 * VALUE_BYTES_MAX as i64 + 2));
        assert_eq!(full[0].message.len(), VALUE_BYTES_MAX - 1);
        assert_eq!((&*full[1].message, full[1].number, full[1].of), ("7", 0, 0));
        assert_eq!(full[2].kind, EventKind::InstanceEnded as u32);
        let audit = told(HistoryLevel::Audit);
        assert!(audit.iter().all(|event| event.message.is_empty()));
        assert_eq!(audit.len(), 3);
        assert_eq!(told(HistoryLevel::Activity).len(), 1);
        assert!(told(HistoryLevel::None).is_empty());
    }
}
