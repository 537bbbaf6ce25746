//! How ranges and points lie to each other.

use std::cmp::Ordering;

use orloj_types::{Range, RangeForm, Value};

use super::super::ast::{Kind, Node};
use super::super::compare::order;
use super::super::mode::Mode;
use super::super::names::Names;
use super::super::parser;
use super::super::session::{Outcome, Session};
use super::arguments::{boolean, text};

/// A point is a range from itself to itself, marked as such where it matters.
struct Span<'v> {
    low: End<'v>,
    high: End<'v>,
    is_point: bool,
}

#[derive(Clone, Copy)]
struct End<'v> {
    /// `None`: there is no end on this side.
    value: Option<&'v Value>,
    included: bool,
}

fn span(value: &Value) -> Option<Span<'_>> {
    match value {
        Value::Null => None,
        // Everything but a value lies on both sides of it.
        Value::Range(range) if range.form == RangeForm::NotEqual => None,
        Value::Range(range) => {
            let Range { low, low_included, high, high_included, .. } = &**range;
            let end = |value, included| End { value: Some(value), included };
            let none = End { value: None, included: false };
            let low = if low.is_null() { none } else { end(low, *low_included) };
            let high = if high.is_null() { none } else { end(high, *high_included) };
            Some(Span { low, high, is_point: false })
        }
        point => {
            let end = End { value: Some(point), included: true };
            Some(Span { low: end, high: end, is_point: true })
        }
    }
}

/// Of two low ends; none is the lowest of all.
fn lows(a: End<'_>, b: End<'_>) -> Option<Ordering> {
    match (a.value, b.value) {
        (Some(a), Some(b)) => order(a, b),
        (a, b) => Some(a.is_some().cmp(&b.is_some())),
    }
}

/// Of two high ends; none is the highest of all.
fn highs(a: End<'_>, b: End<'_>) -> Option<Ordering> {
    match (a.value, b.value) {
        (Some(a), Some(b)) => order(a, b),
        (a, b) => Some(b.is_some().cmp(&a.is_some())),
    }
}

/// Of a high end and a low one.
fn high_low(high: End<'_>, low: End<'_>) -> Option<Ordering> {
    match (high.value, low.value) {
        (Some(high), Some(low)) => order(high, low),
        _ => Some(Ordering::Greater),
    }
}

fn pair(
    arguments: &[Value],
    swapped: bool,
    holds: impl FnOnce(&Span<'_>, &Span<'_>) -> Option<bool>,
) -> Outcome {
    let spans = span(&arguments[0]).zip(span(&arguments[1]));
    boolean(spans.and_then(|(a, b)| if swapped { holds(&b, &a) } else { holds(&a, &b) }))
}

pub(super) fn before(_session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    pair(arguments, false, is_before)
}

pub(super) fn after(_session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    pair(arguments, true, is_before)
}

fn is_before(a: &Span<'_>, b: &Span<'_>) -> Option<bool> {
    Some(match high_low(a.high, b.low)? {
        Ordering::Less => true,
        Ordering::Equal => !(a.high.included && b.low.included),
        Ordering::Greater => false,
    })
}

pub(super) fn meets(_session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    pair(arguments, false, is_meeting)
}

pub(super) fn met_by(_session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    pair(arguments, true, is_meeting)
}

fn is_meeting(a: &Span<'_>, b: &Span<'_>) -> Option<bool> {
    if a.is_point || b.is_point {
        return None;
    }
    Some(high_low(a.high, b.low)?.is_eq() && a.high.included && b.low.included)
}

pub(super) fn overlaps(_session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    pair(arguments, false, |a, b| {
        if a.is_point || b.is_point {
            return None;
        }
        Some(reaches(a, b)? && reaches(b, a)?)
    })
}

/// `a` does not end before `b` begins.
fn reaches(a: &Span<'_>, b: &Span<'_>) -> Option<bool> {
    Some(!is_before(a, b)?)
}

pub(super) fn overlaps_before(_session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    pair(arguments, false, is_overlapping_before)
}

pub(super) fn overlaps_after(_session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    pair(arguments, true, is_overlapping_before)
}

fn is_overlapping_before(a: &Span<'_>, b: &Span<'_>) -> Option<bool> {
    if a.is_point || b.is_point {
        return None;
    }
    let begins = match lows(a.low, b.low)? {
        Ordering::Less => true,
        Ordering::Equal => a.low.included && !b.low.included,
        Ordering::Greater => false,
    };
    let ends = match highs(a.high, b.high)? {
        Ordering::Less => true,
        Ordering::Equal => !a.high.included || b.high.included,
        Ordering::Greater => false,
    };
    Some(begins && reaches(a, b)? && ends)
}

pub(super) fn finishes(_session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    pair(arguments, false, is_finishing)
}

pub(super) fn finished_by(_session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    pair(arguments, true, is_finishing)
}

fn is_finishing(a: &Span<'_>, b: &Span<'_>) -> Option<bool> {
    if b.is_point {
        return None;
    }
    let ends = highs(a.high, b.high)?.is_eq() && a.high.included == b.high.included;
    Some(ends && (a.is_point || begins_inside(a, b)?))
}

fn begins_inside(a: &Span<'_>, b: &Span<'_>) -> Option<bool> {
    Some(match lows(a.low, b.low)? {
        Ordering::Greater => true,
        Ordering::Equal => !a.low.included || b.low.included,
        Ordering::Less => false,
    })
}

fn ends_inside(a: &Span<'_>, b: &Span<'_>) -> Option<bool> {
    Some(match highs(a.high, b.high)? {
        Ordering::Less => true,
        Ordering::Equal => !a.high.included || b.high.included,
        Ordering::Greater => false,
    })
}

pub(super) fn includes(_session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    pair(arguments, true, is_inside)
}

pub(super) fn during(_session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    pair(arguments, false, is_inside)
}

fn is_inside(a: &Span<'_>, b: &Span<'_>) -> Option<bool> {
    if b.is_point {
        return None;
    }
    Some(begins_inside(a, b)? && ends_inside(a, b)?)
}

pub(super) fn starts(_session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    pair(arguments, false, is_starting)
}

pub(super) fn started_by(_session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    pair(arguments, true, is_starting)
}

fn is_starting(a: &Span<'_>, b: &Span<'_>) -> Option<bool> {
    if b.is_point {
        return None;
    }
    let begins = lows(a.low, b.low)?.is_eq() && a.low.included == b.low.included;
    Some(begins && (a.is_point || ends_inside(a, b)?))
}

pub(super) fn coincides(_session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    pair(arguments, false, |a, b| {
        if a.is_point != b.is_point {
            return None;
        }
        Some(
            lows(a.low, b.low)?.is_eq()
                && highs(a.high, b.high)?.is_eq()
                && a.low.included == b.low.included
                && a.high.included == b.high.included,
        )
    })
}

/// From text: the ends are literals, or calls with literals.
pub(super) fn range(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(source) = text(session, arguments, 0) else { return Ok(Value::Null) };
    session.read_text(source.len() * 8)?;
    let Ok(program) = parser::parse(source, 0, Mode::Standard, &Names::new()) else {
        return Ok(Value::Null);
    };
    let Kind::Range(interval) = &program.root.kind else { return Ok(Value::Null) };
    let is_fine = |end: &Option<Node>| end.as_ref().is_none_or(is_literal);
    if !is_fine(&interval.low) || !is_fine(&interval.high) {
        return Ok(Value::Null);
    }
    let value = session.value(&program.root)?;
    let Value::Range(made) = &value else { return Ok(Value::Null) };
    let ordered = made.low.is_null()
        || made.high.is_null()
        || order(&made.low, &made.high).is_some_and(Ordering::is_le);
    Ok(if ordered { value } else { Value::Null })
}

fn is_literal(node: &Node) -> bool {
    use super::super::ast::{Arguments, Callee};
    match &node.kind {
        Kind::Literal(_) => true,
        Kind::Negate(operand) => is_literal(operand),
        Kind::Call(call) => match (&call.callee, &call.arguments) {
            (Callee::Builtin(builtin), Arguments::Positional(nodes)) => {
                let makes_ends = ["date", "time", "date and time", "duration"];
                makes_ends.contains(&builtin.name) && nodes.iter().all(is_literal)
            }
            _ => false,
        },
        _ => false,
    }
}
