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
    let mut places: BTreeMap<Place, Vec<(&DraftElement<'a>, Identity)>> = BTreeMap::new();
    for (index, element) in (0..).map(ElementIndex).zip(&draft.elements) {
        let found = match waits_itself(ctx.dialect, index, element) {
            Some(found) => Some(found),
            None => place_of(draft, element).and_then(|(place, trigger)| {
                let identity = identity(trigger)?;
                Some((shared(ctx.dialect, draft, place, identity.0), identity))
            }),
        };
        let Some((place, identity)) = found else { continue };
        places.entry(place).or_default().push((element, identity));
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

/// In Camunda a receive task waits for its message where its boundary events wait.
fn waits_itself(
    dialect: Dialect,
    index: ElementIndex,
    element: &DraftElement<'_>,
) -> Option<(Place, Identity)> {
    let ElementKind::ReceiveTask(receive) = element.kind.as_ref()? else { return None };
    if dialect != Dialect::Camunda7 || element.multi.is_some() {
        return None;
    }
    let name = &receive.message.as_ref()?.name;
    Some((Place::Inside(Some(index)), ("message", Some(written(name)))))
}

/// In Camunda the boundary events of an activity and the event subprocesses in it wait for messages
/// and signals together, unless its body is between them.
fn shared(dialect: Dialect, draft: &Draft<'_>, place: Place, kind: &str) -> Place {
    match place {
        Place::On(activity)
            if dialect == Dialect::Camunda7
                && matches!(kind, "message" | "signal")
                && draft.element(activity).multi.is_none() =>
        {
            Place::Inside(Some(activity))
        }
        place => place,
    }
}

fn check_place<'a>(ctx: &mut Context<'a>, place: Place, events: &[(&DraftElement<'a>, Identity)]) {
    let mut seen = BTreeSet::new();
    let mut kinds: BTreeMap<&'static str, usize> = BTreeMap::new();
    for (element, (kind, word)) in events {
        if !minds(ctx.dialect, place, kind) {
            continue;
        }
        *kinds.entry(kind).or_default() += 1;
        let is_new = seen.insert((*kind, word.clone()));
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

/// What an event catches: the kind, and which of it.
type Identity = (&'static str, Option<String>);

/// Nothing where that is only known later.
fn identity(trigger: &Trigger) -> Option<Identity> {
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
    seen: &BTreeSet<Identity>,
    count: usize,
) -> bool {
    let has_catch_all = word.is_none() || seen.contains(&("escalation", None));
    dialect == Dialect::Camunda7 && kind == "escalation" && count > 1 && has_catch_all
}
