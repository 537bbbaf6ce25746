//! BPMN errors and escalations: who catches them, and what happens then.
//!
//! Both are thrown outward: the boundary events of the element itself, the event subprocesses and
//! boundary events of each scope around it, and then those of the call activity that called the
//! instance.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_model::{
    Element, ElementIndex, ElementKind, ErrorCatch, EscalationCatch, Trigger, UncaughtError,
};
use orloj_types::{Document, ElementInstanceKey, JobKey, StoredValue, Value, Variables};

use crate::agenda::{MemberIndex, Step};
use crate::failure::{Failure, FailureKind, Ruled};
use crate::foreign::ThrownByCode;
use crate::incidents::{self, Reason};
use crate::record::Role;
use crate::turn::Turn;
use crate::variables::View;
use crate::{call_mappings, element, events, flow, variables};

/// An error or escalation on its way outward.
#[derive(Clone, Debug)]
pub(crate) struct Throwing {
    /// The element instance that threw.
    pub(crate) from: ElementInstanceKey,
    pub(crate) what: Thrown,
    pub(crate) variables: Document,
    pub(crate) source: Source,
}

#[derive(Clone, Debug)]
pub(crate) enum Thrown {
    Error {
        code: Arc<str>,
        message: Arc<str>,
    },
    /// Code or an expression failed, and an event catches what that is in Java.
    Failure {
        is_code: bool,
        message: Arc<str>,
    },
    Escalation {
        code: Option<Arc<str>>,
    },
}

/// What threw: it decides what comes of an error that nothing catches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Code called by the element.
    Code,
    /// Code called on a flow: what threw is the scope that the flow lies in.
    Flow,
    /// The job of a worker, which stays in place until the error is caught.
    Job(JobKey),
    /// An event of the model, which is done when nothing ended it.
    Event,
}

impl Throwing {
    pub(crate) fn error(from: ElementInstanceKey, thrown: ThrownByCode, source: Source) -> Self {
        let ThrownByCode { code, message, variables } = thrown;
        Self { from, what: Thrown::Error { code, message }, variables, source }
    }
}

/// The event that catches, and the element instance or scope it belongs to.
struct Catcher {
    member: MemberIndex,
    host: ElementInstanceKey,
    event: ElementIndex,
    /// Where the error came from, in the instance of the event: a call activity, perhaps.
    from: ElementInstanceKey,
}

/// Goes on at the event that catches; without one, as the process means it.
pub(crate) fn throw(turn: &mut Turn<'_>, throwing: Throwing) -> Ruled {
    let (here, _) = turn.work.at();
    let catcher = find(turn, &throwing);
    turn.switch(here);
    let catcher = catcher?;
    if turn.semantics().catching.passes_outputs {
        // Whoever is asked on the way gets them, also where nobody catches.
        let until = catcher.as_ref().map(|catcher| catcher.member);
        element::call_activity::pass_outputs(turn, until)?;
        turn.switch(here);
    }
    let Some(catcher) = catcher else { return uncaught(turn, &throwing) };
    if let Source::Job(job) = throwing.source {
        crate::jobs::take(turn, throwing.from, job);
    }
    if catcher.member != here {
        element::call_activity::go_to_caller(turn, catcher.member)?;
    }
    let with = payload(turn, catcher.event, &throwing)?;
    if let Thrown::Error { code, .. } = &throwing.what {
        turn.work.caught = Some(code.clone());
    }
    // A called instance is ended by a step of its own, which is still to come.
    let waits = catcher.member != here || takes_turn(turn, &catcher, &throwing);
    let ends_thrower = waits && interrupts(turn, catcher.event);
    catch(turn, &catcher, &throwing, with)?;
    turn.switch(here);
    let is_event = throwing.source == Source::Event && !ends_thrower;
    if is_event && turn.work.ended.is_none() && turn.work.record.element(throwing.from).is_some() {
        flow::complete(turn, throwing.from);
    }
    Ok(())
}

/// An error of a listener on a flow: the element before it has been left, so that only the event
/// subprocesses of the scope around it and what lies further out can catch it.
pub(crate) fn throw_from_flow(
    turn: &mut Turn<'_>,
    scope: ElementInstanceKey,
    failure: Failure,
) -> Ruled {
    let Some(thrown) = failure.thrown.clone() else {
        return match of_failure(turn, scope, Source::Flow, &failure)? {
            Some(throwing) => throw(turn, throwing),
            None => Err(failure),
        };
    };
    let throwing = Throwing::error(scope, *thrown, Source::Flow);
    let (here, _) = turn.work.at();
    let catcher = find(turn, &throwing);
    turn.switch(here);
    match catcher? {
        Some(_) => throw(turn, throwing),
        None => Err(failure),
    }
}

fn catch(turn: &mut Turn<'_>, by: &Catcher, throwing: &Throwing, with: Variables) -> Ruled {
    let &Catcher { host, event, from, .. } = by;
    if takes_turn(turn, by, throwing) {
        if turn.semantics().catching.catches_one_error && turn.work.occurs(host, event) {
            let message = "the boundary event has caught an error in the same moment";
            return Err(Failure::new(&turn.model(event).id, FailureKind::Foreign, message));
        }
        turn.work.push(Step::Occur { host, event, with });
        return Ok(());
    }
    if !interrupts(turn, event) {
        return events::occur_beside(turn, host, event, with);
    }
    let is_error = !matches!(throwing.what, Thrown::Escalation { .. });
    let is_start = matches!(turn.model(event).kind, ElementKind::StartEvent(_));
    if is_error && is_start && turn.semantics().catching.spares_siblings {
        events::catch_inside(turn, host, event, from, with);
        return Ok(());
    }
    events::occur(turn, host, event, with)
}

/// Whether an error of a listener is one that the boundary events of its own element are for.
///
/// DIFFERENCE: in Flowable these begin to wait behind the listeners of the start and are gone
/// before those of the end, but no other event is asked.
pub(crate) fn is_of_absent_event(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    code: &Arc<str>,
) -> bool {
    if !turn.semantics().catching.listeners_throw_outside {
        return false;
    }
    let instance = turn.element(key);
    let what = Thrown::Error { code: code.clone(), message: Arc::default() };
    let boundaries = &turn.model(turn.index_of(&instance.element)).boundaries;
    instance.role != Role::Inner && best(turn, boundaries, &what).is_some()
}

/// Whether the event ends what it belongs to, or what is beside it.
fn interrupts(turn: &Turn<'_>, event: ElementIndex) -> bool {
    let event = turn.model(event);
    let is_start = matches!(event.kind, ElementKind::StartEvent(_));
    let is_escalation = matches!(event.trigger(), Some(Trigger::Escalation(_)));
    let is_aside = turn.semantics().catching.escalations_interrupt_nothing;
    let goes_aside = is_start && is_escalation && is_aside;
    !events::stays(event) && !goes_aside
}

/// Whether the event that catches is behind the tokens of its instance that are on their way.
fn takes_turn(turn: &Turn<'_>, by: &Catcher, throwing: &Throwing) -> bool {
    let catching = &turn.semantics().catching;
    let can = match throwing.what {
        Thrown::Escalation { .. } => catching.escalations_take_turn && interrupts(turn, by.event),
        Thrown::Error { .. } | Thrown::Failure { .. } => catching.boundary_takes_turn,
    };
    let is_boundary = matches!(turn.model(by.event).kind, ElementKind::BoundaryEvent(_));
    // What comes out of a called instance finds the tokens of the caller where they are.
    let is_here = turn.work.record.element(throwing.from).is_some();
    can && is_boundary && (is_here || catching.calls_take_turn)
}

/// Looks outward from where it was thrown, into the callers too.
fn find(turn: &mut Turn<'_>, throwing: &Throwing) -> Ruled<Option<Catcher>> {
    let mut from = throwing.from;
    if throwing.source == Source::Flow
        && let Some(event) = find_inside(turn, from, &throwing.what, None)
    {
        let (member, _) = turn.work.at();
        return Ok(Some(Catcher { member, host: from, event, from }));
    }
    loop {
        let spares = from == throwing.from || !turn.semantics().catching.catches_own_calls;
        if let Some((host, event)) = find_here(turn, from, &throwing.what, spares) {
            let (member, _) = turn.work.at();
            return Ok(Some(Catcher { member, host, event, from }));
        }
        let Some(caller) = turn.work.record.caller else { return Ok(None) };
        let Some(member) = turn.member(caller.instance)? else { return Ok(None) };
        turn.switch(member);
        if turn.work.record.element(caller.element_instance).is_none() {
            return Ok(None);
        }
        from = caller.element_instance;
    }
}

/// Looks outward within the instance at work. An event subprocess is spared what comes out of it.
fn find_here(
    turn: &Turn<'_>,
    from: ElementInstanceKey,
    what: &Thrown,
    spares: bool,
) -> Option<(ElementInstanceKey, ElementIndex)> {
    if turn.semantics().catching.by_scope {
        return find_by_scope(turn, from, what);
    }
    let root = turn.work.record.root.key;
    let mut key = from;
    while key != root {
        let instance = turn.element(key);
        let index = turn.index_of(&instance.element);
        // The boundary events of a multi-instance activity belong to its body, and a completed
        // scope in which something is undone has none any more.
        let is_part = matches!(instance.role, Role::Inner | Role::Branch)
            || crate::compensation::is_hidden(turn, instance);
        if !is_part && let Some(event) = best(turn, &turn.model(index).boundaries, what) {
            return Some((key, event));
        }
        let scope = instance.scope;
        if let Some(event) = find_inside(turn, scope, what, spares.then_some(index)) {
            return Some((scope, event));
        }
        key = scope;
    }
    None
}

/// Looks among the event subprocesses of a scope, but for one.
fn find_inside(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    what: &Thrown,
    spared: Option<ElementIndex>,
) -> Option<ElementIndex> {
    let subprocesses = inside(turn, scope)?.event_subprocesses.iter();
    let starts: Vec<ElementIndex> = subprocesses
        .filter(|&&subprocess| Some(subprocess) != spared)
        .flat_map(|&subprocess| &turn.process.scope(Some(subprocess)).starts)
        .copied()
        .collect();
    best(turn, &starts, what)
}

/// The same, where boundary events and event subprocesses of a scope are asked together.
fn find_by_scope(
    turn: &Turn<'_>,
    from: ElementInstanceKey,
    what: &Thrown,
) -> Option<(ElementInstanceKey, ElementIndex)> {
    let root = turn.work.record.root.key;
    let (mut key, mut came_from) = (from, None);
    loop {
        let around = inside(turn, key);
        let interrupted = around.is_some_and(|around| is_interrupted(turn, key, around));
        // An escalation is still heard by the events of what was interrupted, an error is not.
        if interrupted && !matches!(what, Thrown::Escalation { .. }) {
            return None;
        }
        let mut events: Vec<ElementIndex> = Vec::new();
        for &subprocess in around.map(|around| &around.event_subprocesses).into_iter().flatten() {
            if Some(subprocess) != came_from {
                events.extend(&turn.process.scope(Some(subprocess)).starts);
            }
        }
        let index = turn.model_of(key);
        if let Some(index) = index {
            let instance = turn.element(key);
            let is_part = matches!(instance.role, Role::Inner | Role::Branch)
                || crate::compensation::is_hidden(turn, instance);
            if !is_part {
                events.extend(&turn.model(index).boundaries);
            }
        }
        if let Some(event) = best(turn, &events, what) {
            return Some((key, event));
        }
        if interrupted || key == root {
            return None;
        }
        (key, came_from) = (turn.element(key).scope, index);
    }
}

/// Whether an event subprocess has taken the place of everything else in the scope.
fn is_interrupted(turn: &Turn<'_>, key: ElementInstanceKey, around: &orloj_model::Scope) -> bool {
    let interrupts = |&start: &ElementIndex| !events::stays(turn.model(start));
    !around.event_subprocesses.is_empty()
        && turn.work.record.elements.children(key).any(|child| {
            let index = turn.index_of(&child.element);
            around.event_subprocesses.contains(&index)
                && turn.process.scope(Some(index)).starts.iter().all(interrupts)
        })
}

/// What lies in a scope of the model. Bodies, branches and events that undo are scopes of the
/// record only.
fn inside<'a>(turn: &Turn<'a>, scope: ElementInstanceKey) -> Option<&'a orloj_model::Scope> {
    let Some(index) = turn.model_of(scope) else { return Some(&turn.process.root) };
    let is_part = matches!(turn.element(scope).role, Role::Body | Role::Branch);
    let is_subprocess = matches!(turn.model(index).kind, ElementKind::SubProcess(_));
    (is_subprocess && !is_part).then(|| turn.process.scope(Some(index)))
}

/// The event for exactly this code before one for all.
fn best(turn: &Turn<'_>, events: &[ElementIndex], what: &Thrown) -> Option<ElementIndex> {
    let find = |exact: bool| {
        events.iter().copied().find(|&index| {
            if let Thrown::Failure { is_code, .. } = what {
                return exact && catches_failure(turn, index, *is_code);
            }
            let known = match (what, turn.model(index).trigger()) {
                (Thrown::Error { .. }, Some(Trigger::Error(ErrorCatch { code, .. })))
                | (
                    Thrown::Escalation { .. },
                    Some(Trigger::Escalation(EscalationCatch { code, .. })),
                ) => code,
                _ => return false,
            };
            let thrown = match what {
                Thrown::Error { code, .. } => Some(code),
                Thrown::Escalation { code } => code.as_ref(),
                Thrown::Failure { .. } => None,
            };
            match known {
                Some(known) => exact && thrown.is_some_and(|thrown| thrown == known),
                None => !exact,
            }
        })
    };
    find(true).or_else(|| find(false))
}

fn catches_failure(turn: &Turn<'_>, event: ElementIndex, is_code: bool) -> bool {
    let Some(Trigger::Error(catches)) = turn.model(event).trigger() else { return false };
    if is_code { catches.failures.of_code } else { catches.failures.of_expressions }
}

/// A failure of an element's own work or of a listener as something to throw, if an event catches
/// it. What needs something from outside first has not failed.
pub(crate) fn of_failure(
    turn: &mut Turn<'_>,
    from: ElementInstanceKey,
    source: Source,
    failure: &Failure,
) -> Ruled<Option<Throwing>> {
    if !turn.semantics().catching.failures_by_class || failure.needs.is_some() {
        return Ok(None);
    }
    let is_code = failure.kind == FailureKind::Foreign;
    let what = Thrown::Failure { is_code, message: failure.message.clone() };
    let throwing = Throwing { from, what, variables: Document::new(), source };
    let (here, _) = turn.work.at();
    let catcher = find(turn, &throwing);
    turn.switch(here);
    Ok(catcher?.map(|_| throwing))
}

/// Whether the event itself sets the variable of the code.
fn keeps_apart(catches: &ErrorCatch) -> bool {
    catches.is_code_transient || catches.is_code_local
}

/// The code of an error, for the event that has caught it last.
pub(crate) fn keep_code(turn: &mut Turn<'_>, key: ElementInstanceKey, event: &Element) {
    let Some(Trigger::Error(catches)) = event.trigger() else { return };
    if !keeps_apart(catches) {
        return;
    }
    let Some(code) = turn.work.caught.take() else { return };
    let Some(name) = &catches.code_variable else { return };
    let value = match code.is_empty() {
        true => StoredValue::null(),
        false => StoredValue::text(&code),
    };
    // Of an event subprocess everything in it sees the code.
    let own = match &event.kind {
        ElementKind::StartEvent(_) => turn.element(key).scope,
        _ => key,
    };
    match (catches.is_code_transient, catches.is_code_local) {
        (true, is_local) => {
            let scope = if is_local { own } else { turn.work.record.root.key };
            turn.work.set_transient(scope, name, value);
        }
        (false, _) => variables::set_local(&mut turn.work.record, own, [(name, &value)]),
    }
    turn.note_variables();
}

/// What comes along, and what the catching event notes of it.
fn payload(turn: &Turn<'_>, event: ElementIndex, throwing: &Throwing) -> Ruled<Variables> {
    let mut payload = throwing.variables.0.clone();
    let mut put = |name: &Option<Arc<str>>, text: Option<&Arc<str>>| {
        if let (Some(name), Some(text)) = (name, text) {
            let value = match text.is_empty() {
                true => Value::Null.to_stored(),
                false => StoredValue::text(text),
            };
            payload.insert(name.clone(), value);
        }
    };
    match (&throwing.what, turn.model(event).trigger()) {
        (Thrown::Error { code, message }, Some(Trigger::Error(catches))) => {
            if !keeps_apart(catches) {
                put(&catches.code_variable, Some(code));
            }
            put(&catches.message_variable, Some(message));
        }
        (Thrown::Failure { message, .. }, Some(Trigger::Error(catches))) => {
            put(&catches.code_variable, Some(&Arc::default()));
            put(&catches.message_variable, Some(message));
        }
        (Thrown::Escalation { code }, Some(Trigger::Escalation(catches))) => {
            put(&catches.code_variable, code.as_ref());
        }
        _ => {}
    }
    if let (Thrown::Error { code, message }, Some(Trigger::Error(catches))) =
        (&throwing.what, turn.model(event).trigger())
        && !catches.inputs.is_empty()
    {
        let text = |text: &Arc<str>| match text.is_empty() {
            true => Value::Null,
            false => Value::Text(text.clone()),
        };
        let carried = throwing.variables.0.iter();
        let mut told: BTreeMap<Arc<str>, Value> =
            carried.map(|(name, value)| (name.clone(), Value::from(value))).collect();
        told.insert("errorCode".into(), text(code));
        told.insert("errorMessage".into(), text(message));
        let view = View::new(&turn.work.record, throwing.from).nearest(1).under(&told);
        let made = call_mappings::payload_from(turn, &view, turn.model(event), &catches.inputs)?;
        payload.extend(made.0.iter().map(|(name, value)| (name.clone(), value.clone())));
    }
    Ok(payload)
}

fn uncaught(turn: &mut Turn<'_>, throwing: &Throwing) -> Ruled {
    let key = throwing.from;
    let Thrown::Error { code, message: text } = &throwing.what else {
        // An escalation that nothing catches is nothing.
        flow::complete(turn, key);
        return Ok(());
    };
    let message: Arc<str> = uncaught_message(turn, key, throwing).into();
    let rule = match turn.semantics().uncaught_error {
        UncaughtError::EndToken if turn.settings.uncaught_errors_fail => UncaughtError::Fail,
        rule => rule,
    };
    match (rule, throwing.source) {
        (UncaughtError::Incident, Source::Job(job)) => {
            crate::commands::wait_with_incident(turn, key, job, message);
            Ok(())
        }
        (UncaughtError::Incident, Source::Event) => {
            turn.element_mut(key).state = crate::record::ElementState::Entering;
            incidents::open(turn, key, Reason::UncaughtError, message, None);
            Ok(())
        }
        (UncaughtError::EndToken, source) => {
            if let Source::Job(job) = source {
                crate::jobs::take(turn, key, job);
            }
            variables::assign(&mut turn.work.record, key, &throwing.variables.0);
            match source {
                Source::Event => flow::complete(turn, key),
                _ if flow::ends_with_save_point(turn, key) => flow::end_at_save_point(turn, key),
                _ => {
                    crate::farewell::note(turn, key);
                    flow::end_of_its_own(turn, key)?;
                }
            }
            Ok(())
        }
        // There is no worker job that could wait with an incident.
        (UncaughtError::Fail, _) | (UncaughtError::Incident, Source::Code | Source::Flow) => {
            let element = turn.element(key).element.clone();
            let message = match throwing.source {
                Source::Code | Source::Flow => {
                    format!("no event catches the error '{code}': {text}").into()
                }
                _ => message,
            };
            Err(Failure::new(&element, FailureKind::Foreign, message))
        }
    }
}

fn uncaught_message(turn: &Turn<'_>, key: ElementInstanceKey, throwing: &Throwing) -> String {
    let Thrown::Error { code, message } = &throwing.what else { return String::new() };
    let mut text = format!("no event catches the error '{code}'");
    if !message.is_empty() {
        text.push_str(": ");
        text.push_str(message);
    }
    let index = turn.index_of(&turn.element(key).element);
    let boundaries = turn.model(index).boundaries.iter();
    let known: Vec<Arc<str>> = boundaries
        .filter_map(|&index| match &turn.model(index).kind {
            ElementKind::BoundaryEvent(boundary) => match &boundary.trigger {
                Trigger::Error(catches) => catches.code.clone(),
                _ => None,
            },
            _ => None,
        })
        .collect();
    match known.is_empty() {
        true => text.push_str(" (the element has no error events)"),
        false => {
            text.push_str(" (its events catch: ");
            text.push_str(&known.join(", "));
            text.push(')');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use orloj_expr::Expression;
    use orloj_model::{CallMapping, ElementKind, TimerKind};
    use orloj_types::Value;

    use crate::testing::{
        Sketch, Story, delegate, document, end, on_error, on_timer, start, user, worker,
    };
    use crate::{Command, InvokeResult};

    fn guarded(sketch: Sketch, task: ElementKind) -> Sketch {
        sketch
            .node("start", start())
            .node("pay", task)
            .node("paid", end())
            .boundary("pay", "any", on_error(None))
            .boundary("pay", "poor", on_error(Some("poor")))
            .boundary("pay", "late", on_timer(true, TimerKind::Duration, "PT1H"))
            .node("help", user())
            .node("beg", user())
            .flows("start -> pay -> paid")
            .flows("any -> help")
            .flows("poor -> beg")
    }

    #[test]
    fn the_exact_code_comes_before_the_event_for_all() {
        let process = guarded(Sketch::zeebe(), worker("charge")).build();
        let mut story = Story::of(process.clone());
        story.start("{}");
        insta::assert_snapshot!(story.throw("pay", "poor", r#"{"left":3}"#), @r#"
        job2 threw poor
        job1 cancelled
        terminated pay
        entered poor
        left poor
        entered beg
        --
        delete job1
        delete job2
        insert task1 beg priority 50
        at beg task1
        instance: {"left":3}
        "#);
        let mut story = Story::of(process);
        story.start("{}");
        insta::assert_snapshot!(story.throw("pay", "rich", "{}"), @"
        job2 threw rich
        job1 cancelled
        terminated pay
        entered any
        left any
        entered help
        --
        delete job1
        delete job2
        insert task1 help priority 50
        at help task1
        ");
    }

    #[test]
    fn output_mappings_choose_among_the_variables_of_the_error() {
        let process =
            guarded(Sketch::zeebe(), worker("charge")).output("poor", "left + 1", "need").build();
        let mut story = Story::of(process);
        story.start("{}");
        insta::assert_snapshot!(story.throw("pay", "poor", r#"{"left":3}"#), @r#"
        job2 threw poor
        job1 cancelled
        terminated pay
        entered poor
        left poor
        entered beg
        --
        delete job1
        delete job2
        insert task1 beg priority 50
        at beg task1
        instance: {"need":4}
        "#);
    }

    #[test]
    fn an_event_may_choose_from_what_the_error_tells() {
        let sketch = Sketch::camunda();
        let chosen = |source: &str, target: &str| CallMapping::Value {
            source: sketch.expression(&format!("execution.getVariable('{source}')")),
            target: Expression::constant(Value::text(target)),
            is_local: false,
            is_transient: false,
            skips_missing: false,
        };
        let inputs = vec![chosen("errorCode", "code"), chosen("left", "rest"), chosen("x", "no")];
        let process = guarded(Sketch::camunda(), worker("charge"))
            .with("any", |e| {
                if let ElementKind::BoundaryEvent(boundary) = &mut e.kind
                    && let orloj_model::Trigger::Error(catches) = &mut boundary.trigger
                {
                    catches.inputs = inputs;
                }
            })
            .build();
        let mut story = Story::of(process);
        story.start(r#"{"x":1}"#);
        let told = story.throw("pay", "rich", r#"{"left":3}"#);
        let seen = r#"instance: {"code":"rich","left":3,"no":null,"rest":3,"x":1}"#;
        assert!(told.trim_end().ends_with(seen), "{told}");
    }

    #[test]
    fn in_flowable_the_code_may_go_with_the_token_or_end_with_the_command() {
        let told = |is_code_local, is_code_transient| {
            let process = guarded(Sketch::flowable(), worker("charge"))
                .with("any", |e| {
                    if let ElementKind::BoundaryEvent(boundary) = &mut e.kind
                        && let orloj_model::Trigger::Error(catches) = &mut boundary.trigger
                    {
                        catches.code_variable = Some("code".into());
                        (catches.is_code_local, catches.is_code_transient) =
                            (is_code_local, is_code_transient);
                    }
                })
                .output("help", "code", "seen")
                .build();
            let mut story = Story::of(process);
            story.start("{}");
            let told = story.throw("pay", "rich", "{}");
            told.lines().filter(|line| line.contains(": {")).collect::<Vec<_>>().join("; ")
        };
        assert_eq!(told(false, false), r#"instance: {"code":"rich"}"#);
        assert_eq!(told(true, false), r#"help: {"code":"rich"}"#);
        assert_eq!(told(false, true), "");
        assert_eq!(told(true, true), "");
    }

    #[test]
    fn code_and_message_are_kept_where_the_event_says() {
        let process = guarded(Sketch::camunda(), worker("charge"))
            .with("any", |e| {
                if let ElementKind::BoundaryEvent(boundary) = &mut e.kind
                    && let orloj_model::Trigger::Error(catches) = &mut boundary.trigger
                {
                    catches.code_variable = Some("code".into());
                    catches.message_variable = Some("text".into());
                }
            })
            .build();
        let mut story = Story::of(process);
        story.start("{}");
        insta::assert_snapshot!(story.throw("pay", "rich", r#"{"left":3}"#), @r#"
        job2 threw rich
        job1 cancelled
        terminated pay
        entered any
        left any
        entered help
        --
        delete job1
        delete job2
        insert task1 help priority 50
        at help task1
        instance: {"code":"rich","left":3,"text":"no money"}
        "#);
    }

    #[test]
    fn a_delegate_can_throw_too() {
        let process = guarded(Sketch::camunda(), delegate("Pay")).async_before("pay").build();
        let error = InvokeResult::Error {
            code: "poor".into(),
            message: "no money".into(),
            variables: document(r#"{"left":3}"#),
        };
        let mut story = Story::of(process).delegate("Pay", &[error]);
        story.start("{}");
        insta::assert_snapshot!(story.run_job("pay"), @r#"
        job1 completed
        entered pay
        terminated pay
        entered poor
        left poor
        entered beg
        --
        delete job1
        insert task1 beg priority 50
        at beg task1
        instance: {"left":3}
        "#);
    }

    fn unguarded(sketch: Sketch) -> Story {
        let process = sketch
            .node("start", start())
            .node("pay", worker("charge"))
            .boundary("pay", "poor", on_error(Some("poor")))
            .node("then", user())
            .flows("start -> pay -> then");
        let mut story = Story::of(process.build());
        story.start("{}");
        story
    }

    #[test]
    fn in_zeebe_an_error_nobody_catches_is_an_incident_that_needs_no_retries() {
        let mut story = unguarded(Sketch::zeebe());
        insta::assert_snapshot!(story.throw("pay", "rich", "{}"), @"
        job1 threw rich
        incident1 opened UNHANDLED_ERROR_EVENT: no event catches the error 'rich': no money (its events catch: poor)
        --
        update job1 charge of pay, errorthrown, retries 3 unlock 'no event catches the error 'rich': no money (its events catch: poor)'
        insert incident1 UNHANDLED_ERROR_EVENT
        at pay job1 incident1
        ");
        insta::assert_snapshot!(story.complete("pay", "{}"), @"rejected: job job1 is in state ErrorThrown");
        insta::assert_snapshot!(story.resolve(), @"
        incident1 closed
        --
        update job1 charge of pay, ready, retries 3
        delete incident1
        at pay job1
        ");
    }

    #[test]
    fn in_camunda_it_ends_the_token_and_in_flowable_it_is_refused() {
        let mut camunda = unguarded(Sketch::camunda());
        insta::assert_snapshot!(camunda.throw("pay", "rich", r#"{"left":3}"#), @r#"
        job1 threw rich
        left pay
        ended Completed
        --
        delete job1
        end Completed {"left":3}
        "#);
        let mut flowable = unguarded(Sketch::flowable());
        insta::assert_snapshot!(flowable.throw("pay", "rich", "{}"), @"rejected: pay: no event catches the error 'rich': no money (its events catch: poor)");
    }

    #[test]
    fn an_uncaught_error_of_a_delegate_ends_the_token_or_fails_the_job() {
        let error = InvokeResult::Error {
            code: "rich".into(),
            message: "too much".into(),
            variables: document("{}"),
        };
        let draw = |sketch: Sketch| {
            let process = sketch
                .node("start", start())
                .node("pay", delegate("Pay"))
                .node("then", user())
                .flows("start -> pay -> then")
                .async_before("pay");
            Story::of(process.build()).delegate("Pay", std::slice::from_ref(&error))
        };
        let mut camunda = draw(Sketch::camunda());
        camunda.start("{}");
        insta::assert_snapshot!(camunda.run_job("pay"), @"
        job1 completed
        entered pay
        left pay
        ended Completed
        --
        delete job1
        end Completed {}
        ");
        let mut flowable = draw(Sketch::flowable());
        flowable.start("{}");
        insta::assert_snapshot!(flowable.run_job("pay"), @"
        job1 failed, 2 left: no event catches the error 'rich': too much
        --
        update job1 before pay, waiting, retries 2, exclusive, due +10 s unlock 'no event catches the error 'rich': too much'
        at pay entering job1
        ");
        assert!(matches!(
            flowable.interpret(Command::RunJob { job: flowable.job_of("pay") }),
            Err(crate::Rejection::JobState { .. })
        ));
    }
}
