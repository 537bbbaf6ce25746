//! What the loop acts on next.

use std::collections::BTreeMap;

use orloj_types::Timestamp;

use crate::order::DocumentOrder;
use crate::run::Pass;
use crate::wait::{Handle, Wait, WaitKind};

/// A wait on which so many actions failed is left alone.
const FAILURES_MAX: u32 = 4;

/// A kind of action, in the words of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    Job,
    Worker,
    User,
    Clock,
    Trigger,
}

const FORWARD: [Act; 5] = [Act::Job, Act::Worker, Act::User, Act::Clock, Act::Trigger];
const REVERSE: [Act; 5] = [Act::Job, Act::Trigger, Act::Clock, Act::User, Act::Worker];

/// How often actions on a wait have failed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failures(BTreeMap<Handle, u32>);

#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub act: Act,
    pub on: Wait,
    /// The earliest due date of what waits for the clock.
    pub clock_to: Timestamp,
}

impl Act {
    pub fn word(self) -> &'static str {
        match self {
            Self::Job => "job",
            Self::Worker => "worker",
            Self::User => "user",
            Self::Clock => "clock",
            Self::Trigger => "trigger",
        }
    }
}

impl Failures {
    pub fn count(&mut self, handle: Handle) {
        *self.0.entry(handle).or_default() += 1;
    }

    fn has_given_up(&self, handle: Handle) -> bool {
        self.0.get(&handle).is_some_and(|failures| *failures >= FAILURES_MAX)
    }
}

/// The first candidate of the first kind that has any; in the reverse pass the last.
pub(crate) fn choose(
    waits: &[Wait],
    pass: Pass,
    now: Timestamp,
    order: &DocumentOrder,
    failures: &Failures,
) -> Option<Choice> {
    let is_reverse = pass == Pass::Reverse;
    for act in if is_reverse { REVERSE } else { FORWARD } {
        let candidates = waits.iter().filter(|wait| {
            wait.actionable
                && !failures.has_given_up(wait.counted_as)
                && act_on(wait, now) == Some(act)
        });
        let key = |wait: &&Wait| (order.position(&wait.element), wait.loop_counter, wait.age);
        let clock_to = candidates.clone().filter_map(|wait| wait.due_at).min().unwrap_or(now);
        let chosen =
            if is_reverse { candidates.max_by_key(key) } else { candidates.min_by_key(key) };
        if let Some(on) = chosen {
            return Some(Choice { act, on: on.clone(), clock_to });
        }
    }
    None
}

fn act_on(wait: &Wait, now: Timestamp) -> Option<Act> {
    match wait.kind {
        WaitKind::Async | WaitKind::Timer => match wait.due_at {
            Some(due_at) if due_at > now => Some(Act::Clock),
            _ => Some(Act::Job),
        },
        WaitKind::Worker => Some(Act::Worker),
        WaitKind::User => Some(Act::User),
        WaitKind::Message | WaitKind::Signal | WaitKind::Receive => Some(Act::Trigger),
        WaitKind::Condition | WaitKind::Registry | WaitKind::Variable => None,
    }
}

#[cfg(test)]
mod tests {
    use orloj_types::{InstanceKey, JobKey};

    use super::*;

    const FILE: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">
        <task id="a"/><task id="b"/><task id="c"/></definitions>"#;

    fn wait(kind: WaitKind, element: &str, age: i64) -> Wait {
        Wait {
            kind,
            element: element.into(),
            name: None,
            due_at: None,
            actionable: true,
            loop_counter: -1,
            age,
            handle: Handle::Job { instance: InstanceKey::new(1), job: JobKey::new(age) },
            counted_as: Handle::Job { instance: InstanceKey::new(1), job: JobKey::new(age) },
        }
    }

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_ms(ms)
    }

    fn chosen(waits: &[Wait], pass: Pass, failures: &Failures) -> Option<(Act, String, i64)> {
        let order = DocumentOrder::of([FILE.as_bytes()]);
        let choice = choose(waits, pass, at(0), &order, failures)?;
        Some((choice.act, choice.on.element.to_string(), choice.on.age))
    }

    #[test]
    fn kinds_come_in_the_order_of_the_pass() {
        let later = Wait { due_at: Some(at(9)), ..wait(WaitKind::Timer, "a", 1) };
        let waits = [
            later,
            wait(WaitKind::Signal, "a", 2),
            wait(WaitKind::User, "b", 3),
            wait(WaitKind::Condition, "a", 4),
        ];
        let none = Failures::default();
        assert_eq!(chosen(&waits, Pass::Forward, &none), Some((Act::User, "b".into(), 3)));
        assert_eq!(chosen(&waits, Pass::Reverse, &none), Some((Act::Trigger, "a".into(), 2)));
        assert_eq!(chosen(&waits[..2], Pass::Error, &none), Some((Act::Clock, "a".into(), 1)));
        assert_eq!(chosen(&waits[3..], Pass::Forward, &none), None);
    }

    #[test]
    fn within_a_kind_by_place_then_counter_then_age() {
        let waits = [
            wait(WaitKind::Async, "b", 1),
            Wait { loop_counter: 1, ..wait(WaitKind::Async, "a", 2) },
            Wait { loop_counter: 0, ..wait(WaitKind::Async, "a", 4) },
            Wait { loop_counter: 0, ..wait(WaitKind::Async, "a", 3) },
        ];
        let none = Failures::default();
        assert_eq!(chosen(&waits, Pass::Forward, &none), Some((Act::Job, "a".into(), 3)));
        assert_eq!(chosen(&waits, Pass::Reverse, &none), Some((Act::Job, "b".into(), 1)));
    }

    #[test]
    fn the_clock_moves_to_the_earliest_due_date_of_all() {
        let due =
            |element, age, ms| Wait { due_at: Some(at(ms)), ..wait(WaitKind::Timer, element, age) };
        let waits = [due("a", 1, 30), due("b", 2, 20), due("c", 3, 40)];
        let order = DocumentOrder::of([FILE.as_bytes()]);
        let choice = choose(&waits, Pass::Reverse, at(0), &order, &Failures::default()).unwrap();
        assert_eq!((choice.act, choice.clock_to), (Act::Clock, at(20)));
    }

    #[test]
    fn four_failures_are_enough_and_the_stuck_are_left_alone() {
        let waits = [wait(WaitKind::User, "a", 1), wait(WaitKind::User, "b", 2)];
        let mut failures = Failures::default();
        for _ in 0..3 {
            failures.count(waits[0].handle);
        }
        assert_eq!(chosen(&waits, Pass::Forward, &failures), Some((Act::User, "a".into(), 1)));
        failures.count(waits[0].handle);
        assert_eq!(chosen(&waits, Pass::Forward, &failures), Some((Act::User, "b".into(), 2)));
        let stuck = Wait { actionable: false, ..waits[1].clone() };
        assert_eq!(chosen(&[stuck], Pass::Forward, &failures), None);
    }
}
