//! Events of one scope that would all catch the same thing.

use std::collections::{BTreeMap, BTreeSet};

use orloj_expr::Expression;
use orloj_xml::quoted;

use crate::graph::{Boundary, ElementIndex, ElementKind, Script, StartEvent, Trigger};
use crate::options::Dialect;
use crate::read::context::Context;
use crate::read::draft::{Draft, DraftElement};

/// Where events wait together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Start events of the process.
    Process,
    /// Event subprocesses of a scope.
    Inside(Option<ElementIndex>),
    On(ElementIndex),
    After(ElementIndex),
}

pub(crate) fn check<'a>(ctx: &mut Context<'a>, draft: &Draft<'a>) {
    let mut places: BTreeMap<Place, Vec<(&DraftElement<'a>, &Trigger)>> = BTreeMap::new();
    for element in &draft.elements {
        let Some((place, trigger)) = place_of(draft, element) else { continue };
        places.entry(place).or_default().push((element, trigger));
    }
    for (place, events) in places {
        check_place(ctx, place, &events);
    }
}

fn place_of<'d, 'a>(
    draft: &'d Draft<'a>,
    element: &'d DraftElement<'a>,
) -> Option<(Place, &'d Trigger)> {
    match element.kind.as_ref()? {
        ElementKind::StartEvent(StartEvent { trigger: Some(trigger), .. }) => {
            let place = match element.parent {
                None => Place::Process,
                Some(parent) => Place::Inside(draft.element(parent).parent),
            };
            Some((place, trigger))
        }
        ElementKind::BoundaryEvent(Boundary { attached_to, trigger, .. }) => {
            Some((Place::On(*attached_to), trigger))
        }
        ElementKind::CatchEvent(Some(trigger)) => {
            let mut sources = element.incoming.iter().map(|&flow| draft.flow(flow).flow.source);
            let gateway = sources
                .find(|&s| matches!(draft.element(s).kind, Some(ElementKind::EventGateway)))?;
            Some((Place::After(gateway), trigger))
        }
        _ => None,
    }
}

fn check_place<'a>(ctx: &mut Context<'a>, place: Place, events: &[(&DraftElement<'a>, &Trigger)]) {
    let mut seen = BTreeSet::new();
    let mut kinds: BTreeMap<&'static str, usize> = BTreeMap::new();
    for (element, trigger) in events {
        let Some((kind, word)) = identity(trigger) else { continue };
        if !minds(ctx.dialect, place, kind) {
            continue;
        }
        *kinds.entry(kind).or_default() += 1;
        let is_new = seen.insert((kind, word.clone()));
        if is_new && !is_caught_by_all(ctx.dialect, kind, word.as_deref(), &seen, kinds[kind]) {
            continue;
        }
        let what = match &word {
            Some(word) => format!("the {kind} {}", quoted(word)),
            None => format!("every {kind}"),
        };
        let message =
            format!("{} is not the only event there that catches {what}", element.subject.title());
        ctx.error(&element.subject, "event-repeated", message);
    }
}

/// What an event catches; nothing where that is only known later.
fn identity(trigger: &Trigger) -> Option<(&'static str, Option<String>)> {
    let name = |expression: &Expression| Some(written(expression));
    Some(match trigger {
        Trigger::Message(catch) => ("message", name(&catch.name)),
        Trigger::Signal(catch) => ("signal", name(&catch.name)),
        Trigger::Error(catch) => ("error", catch.code.as_deref().map(str::to_owned)),
        Trigger::Escalation(catch) => ("escalation", catch.code.as_deref().map(str::to_owned)),
        Trigger::Condition(condition) => ("condition", Some(script(&condition.expression))),
        Trigger::Compensation => ("compensation", None),
        Trigger::Cancel => ("cancellation", None),
        _ => return None,
    })
}

fn script(script: &Script) -> String {
    match script {
        Script::Expression(expression) => written(expression),
        other => format!("{other:?}"),
    }
}

fn written(expression: &Expression) -> String {
    match expression.as_constant() {
        Some(value) => value.to_json(),
        None => expression.source().to_owned(),
    }
}

/// Whether the dialect refuses two of the kind in that place.
fn minds(dialect: Dialect, place: Place, kind: &str) -> bool {
    match (dialect, place, kind) {
        (Dialect::Zeebe, _, "compensation") => matches!(place, Place::On(_)),
        (Dialect::Zeebe, Place::Process, kind) => matches!(kind, "message" | "signal"),
        (Dialect::Zeebe, _, kind) => kind != "condition",
        (Dialect::Camunda7, Place::After(_), kind) => matches!(kind, "message" | "signal"),
        (Dialect::Camunda7, Place::Process, "condition") => true,
        (Dialect::Camunda7, _, "error" | "condition") => false,
        (Dialect::Camunda7, ..) => true,
        // Subscriptions of processes are made when they are deployed.
        (Dialect::Flowable, Place::Process, "message") => true,
        (Dialect::Flowable, Place::On(_), "message" | "compensation" | "cancellation") => true,
        (Dialect::Flowable, ..) => false,
    }
}

/// Camunda lets an escalation event without code stand beside no other.
fn is_caught_by_all(
    dialect: Dialect,
    kind: &str,
    word: Option<&str>,
    seen: &BTreeSet<(&'static str, Option<String>)>,
    count: usize,
) -> bool {
    let has_catch_all = word.is_none() || seen.contains(&("escalation", None));
    dialect == Dialect::Camunda7 && kind == "escalation" && count > 1 && has_catch_all
}
