//! Timer definitions.

use jiff::tz::TimeZone;
use orloj_expr::Expression;
use orloj_timer::{Kind, Schedule};
use orloj_types::{Temporal, Timestamp, Value};

use crate::graph::{Timer, TimerKind};
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, Written, bpmn_child};
use crate::read::event::Spot;

impl<'a> Context<'a> {
    pub fn timer(
        &mut self,
        subject: &Subject<'a>,
        definition: Node<'a>,
        spot: Spot,
        interrupting: bool,
    ) -> Option<Timer> {
        let (kind, node) = self.timer_kind(subject, definition)?;
        let written = self.content(node);
        let may_be_empty = self.dialect == Dialect::Camunda7 && spot != Spot::Start;
        if written.text.is_empty() && !may_be_empty {
            let message = format!("the timer of {} is empty", subject.title());
            self.error_at(subject, written.offset, "timer-empty", message);
            return None;
        }
        let mut value = match spot {
            Spot::Start => self.value(subject, &written)?,
            _ => self.late_value(subject, &written)?,
        };
        if spot == Spot::Start {
            value = self.fixed_at_start(subject, value);
        }
        if self.dialect == Dialect::Zeebe {
            let may_repeat = spot == Spot::Start || (spot != Spot::Catch && !interrupting);
            if kind == TimerKind::Cycle && !may_repeat {
                let message = format!("{} waits once and cannot have a timeCycle", subject.title());
                self.error_at(subject, node.range().start, "timer-cycle-misplaced", message);
                return None;
            }
        }
        if self.dialect == Dialect::Zeebe || spot == Spot::Start {
            let read_as = self.calendar(subject, definition, spot)?.unwrap_or(kind);
            self.check_schedule(subject, &written, read_as, &value, spot)?;
        }
        let end = match self.dialect {
            Dialect::Flowable => self.extension_attribute(node, "endDate"),
            Dialect::Camunda7 | Dialect::Zeebe => None,
        };
        let end = match end.filter(|end| !end.text.is_empty()) {
            Some(end) => Some(self.late_value(subject, &end)?),
            None => None,
        };
        let exclusive = self.timer_is_exclusive(subject, definition);
        Some(Timer { kind, value, end, exclusive })
    }

    /// In the order in which Camunda and Flowable look; Zeebe wants exactly one.
    pub fn timer_kind(
        &mut self,
        subject: &Subject<'a>,
        definition: Node<'a>,
    ) -> Option<(TimerKind, Node<'a>)> {
        let kinds = [
            (TimerKind::Date, "timeDate"),
            (TimerKind::Cycle, "timeCycle"),
            (TimerKind::Duration, "timeDuration"),
        ];
        let mut found: Vec<_> = kinds
            .iter()
            .filter_map(|&(kind, name)| bpmn_child(definition, name).map(|node| (kind, node)))
            .collect();
        if self.dialect == Dialect::Flowable {
            found.retain(|(_, node)| !self.content(*node).text.is_empty());
        }
        let offset = definition.range().start;
        if found.is_empty() {
            let message = format!(
                "the timer of {} has neither timeDate nor timeDuration nor timeCycle",
                subject.title()
            );
            self.error_at(subject, offset, "timer-missing", message);
        }
        found.first().copied()
    }

    /// The calendar that Flowable asks for the moment, where one is named; only a start event's
    /// must be there at once.
    fn calendar(
        &mut self,
        subject: &Subject<'a>,
        definition: Node<'a>,
        spot: Spot,
    ) -> Option<Option<TimerKind>> {
        let written = self.extension_attribute(definition, "businessCalendarName");
        let is_asked = self.dialect == Dialect::Flowable && spot == Spot::Start;
        let Some(written) = written.filter(|name| is_asked && !name.text.is_empty()) else {
            return Some(None);
        };
        let name = self.value(subject, &written)?;
        match self.constant_text(subject, &name).as_deref() {
            Some("dueDate") => Some(Some(TimerKind::Date)),
            Some("duration") => Some(Some(TimerKind::Duration)),
            Some("cycle") => Some(Some(TimerKind::Cycle)),
            _ => {
                let message = format!("the calendar of {} is unknown", subject.title());
                self.error_at(subject, written.offset, "timer-calendar-unknown", message);
                None
            }
        }
    }

    /// A timer that begins instances is set when the file is deployed, so it must be known then.
    /// Zeebe tries all fixed texts.
    fn check_schedule(
        &mut self,
        subject: &Subject<'a>,
        written: &Written<'a>,
        kind: TimerKind,
        value: &Expression,
        spot: Spot,
    ) -> Option<()> {
        let fixed = match (value.as_constant(), spot) {
            (Some(value), _) => Some(value.clone()),
            (None, Spot::Start) => Some(self.constant(subject, value).unwrap_or(Value::Null)),
            (None, _) => None,
        };
        let Some(fixed) = fixed else { return Some(()) };
        let schedule = match kind {
            TimerKind::Date => Kind::Date,
            TimerKind::Duration => Kind::Duration,
            TimerKind::Cycle => Kind::Cycle,
        };
        let written_out = match &fixed {
            // What FEEL has made of a date without a zone is one of the engine's own zone.
            Value::Temporal(made) if matches!(**made, Temporal::DateTime(_)) => None,
            Value::Temporal(made) => Some(Value::text(made.to_string())),
            _ => None,
        };
        let problem = match written_out.as_ref().unwrap_or(&fixed) {
            Value::Text(text) => {
                let parsed = Schedule::parse(self.timer_dialect(), schedule, text);
                match parsed {
                    Err(error) => Some(error.message),
                    Ok(schedule) if self.dialect != Dialect::Zeebe && never_fires(&schedule) => {
                        Some("it never fires".to_owned())
                    }
                    Ok(_) => None,
                }
            }
            Value::Temporal(_) => None,
            _ => Some("it gives no time".to_owned()),
        };
        let Some(problem) = problem else { return Some(()) };
        let message = format!("the timer of {} cannot be read: {problem}", subject.title());
        self.error_at(subject, written.offset, "timer-invalid", message);
        None
    }

    fn timer_dialect(&self) -> orloj_timer::Dialect {
        match self.dialect {
            Dialect::Zeebe => orloj_timer::Dialect::Zeebe,
            Dialect::Camunda7 => orloj_timer::Dialect::Camunda7,
            Dialect::Flowable => orloj_timer::Dialect::Flowable,
        }
    }

    /// DIFFERENCE: Camunda reads the attribute from the definition only; it is honoured on the
    /// event as well, and the definition wins.
    fn timer_is_exclusive(&self, subject: &Subject<'a>, definition: Node<'a>) -> bool {
        match self.dialect {
            Dialect::Zeebe => false,
            Dialect::Flowable => true,
            Dialect::Camunda7 => match self.extension_attribute(definition, "exclusive") {
                Some(flag) => flag.text == "true",
                None => self.flag_or_true(subject.node, "exclusive"),
            },
        }
    }
}

/// Any moment shows that a timer has no firing at all.
fn never_fires(schedule: &Schedule) -> bool {
    schedule.first(Timestamp::from_ms(0), &TimeZone::UTC).is_none()
}
