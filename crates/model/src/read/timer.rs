//! Timer definitions.

use crate::graph::{Timer, TimerKind};
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, bpmn_child};

impl<'a> Context<'a> {
    /// `once`: the event ends its wait when the timer fires for the first time.
    pub fn timer(
        &mut self,
        subject: &Subject<'a>,
        definition: Node<'a>,
        once: bool,
    ) -> Option<Timer> {
        self.refuse_calendar(subject, definition);
        let (kind, node) = self.timer_kind(subject, definition)?;
        let written = self.content(node);
        if written.text.is_empty() {
            let message = format!("the timer of {} is empty", subject.title());
            self.error_at(subject, written.offset, "timer-empty", message);
            return None;
        }
        if kind == TimerKind::Cycle && once && self.dialect == Dialect::Zeebe {
            let message = format!("{} waits once and cannot have a timeCycle", subject.title());
            self.error_at(subject, node.range().start, "timer-cycle-misplaced", message);
            return None;
        }
        let value = self.value(subject, &written)?;
        Some(Timer { kind, value, exclusive: self.timer_is_exclusive(subject, definition) })
    }

    /// In the order in which Camunda and Flowable look; Zeebe wants exactly one.
    fn timer_kind(
        &mut self,
        subject: &Subject<'a>,
        definition: Node<'a>,
    ) -> Option<(TimerKind, Node<'a>)> {
        let kinds = [
            (TimerKind::Date, "timeDate"),
            (TimerKind::Cycle, "timeCycle"),
            (TimerKind::Duration, "timeDuration"),
        ];
        let found: Vec<_> = kinds
            .iter()
            .filter_map(|&(kind, name)| bpmn_child(definition, name).map(|node| (kind, node)))
            .collect();
        let offset = definition.range().start;
        if found.is_empty() {
            let message = format!(
                "the timer of {} has neither timeDate nor timeDuration nor timeCycle",
                subject.title()
            );
            self.error_at(subject, offset, "timer-missing", message);
        }
        if found.len() > 1 {
            const CODE: &str = "timer-repeated";
            let message = format!("the timer of {} is given more than once", subject.title());
            match self.dialect {
                Dialect::Zeebe => self.error_at(subject, offset, CODE, message),
                Dialect::Camunda7 | Dialect::Flowable => {
                    self.warn_at(subject, offset, CODE, message);
                }
            }
        }
        found.first().copied()
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

    fn refuse_calendar(&mut self, subject: &Subject<'a>, definition: Node<'a>) {
        if self.dialect != Dialect::Flowable {
            return;
        }
        let calendar = self.extension_attribute(definition, "businessCalendarName");
        let cycle = bpmn_child(definition, "timeCycle");
        let end = cycle.and_then(|cycle| self.extension_attribute(cycle, "endDate"));
        for (name, found) in [("businessCalendarName", calendar), ("endDate", end)] {
            if let Some(found) = found {
                let message =
                    format!("{name} in the timer of {} is not supported yet", subject.title());
                self.error_at(subject, found.offset, "unsupported-attribute", message);
            }
        }
    }
}
