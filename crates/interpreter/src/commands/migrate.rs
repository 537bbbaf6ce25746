//! Migrate: the instance goes on as one of another definition.
//!
//! A plan says which element of the old process is which of the new one. Everything that runs has
//! to be named in it, keep its kind and stay in the same scope. Jobs and user tasks go along.
//! Events are waited for anew: those that the plan names keep what they wait for, the others of
//! the old process are given up, and the others of the new one begin to wait.

use std::collections::BTreeMap;

use orloj_model::{Element, ElementKind, Listener, Process};
use orloj_types::{ElementId, ElementInstanceKey, SubscriptionKey};
use thin_vec::ThinVec;

use crate::agenda::Step;
use crate::command::{Migrate, Rejection};
use crate::element::inclusive_gateway;
use crate::events::{self, Ready};
use crate::failure::{Ruled, Stop};
use crate::outcome::SubscriptionRow;
use crate::record::{Compensation, ElementInstance, JobKind, Role};
use crate::turn::Turn;
use crate::{ending, incidents, jobs};

pub(crate) fn migrate(turn: &mut Turn<'_>, migrate: &Migrate) -> Result<(), Stop> {
    let plan: BTreeMap<&ElementId, &ElementId> =
        migrate.plan.iter().map(|(from, to)| (from, to)).collect();
    check(turn, migrate, &plan)?;
    let keys: Vec<_> = turn.work.record.holders().map(|holder| holder.key).collect();
    turn.work.record.definition = migrate.definition;
    for id in &mut turn.work.record.stops_after {
        if let Some(&to) = plan.get(id) {
            *id = to.clone();
        }
    }
    turn.work.changes.is_record_changed = true;
    for &key in &keys {
        rename(turn, key, &plan);
    }
    // From here on everything is looked up in the new process.
    turn.adopt_target();
    // Other ways may lead to the joins of it.
    for &key in &keys {
        inclusive_gateway::note_left(turn, key);
    }
    for &key in keys.iter().rev() {
        turn.work.push_next(Step::Resubscribe { key });
    }
    Ok(())
}

fn check(
    turn: &Turn<'_>,
    migrate: &Migrate,
    plan: &BTreeMap<&ElementId, &ElementId>,
) -> Result<(), Rejection> {
    for (from, to) in &migrate.plan {
        let source = turn.process.find(from);
        let source = source.ok_or_else(|| Rejection::ElementNotFound(from.clone()))?;
        let target = migrate.target.find(to);
        let target = target.ok_or_else(|| Rejection::ElementNotFound(to.clone()))?;
        let (source, target) = (turn.model(source), migrate.target.element(target));
        if let Some(reason) = difference(source, target) {
            return Err(Rejection::NotPossible { element: from.clone(), reason });
        }
    }
    if migrate.target.semantics != turn.process.semantics {
        let element = turn.process_element();
        let reason = "the new definition follows other rules";
        return Err(Rejection::NotPossible { element, reason });
    }
    for holder in turn.work.record.holders() {
        if let Some(reason) = unfinished(turn, &migrate.target, holder, plan) {
            let element = match holder.key == turn.work.record.root.key {
                true => turn.process_element(),
                false => holder.element.clone(),
            };
            return Err(Rejection::NotPossible { element, reason });
        }
    }
    for instance in &turn.work.record.elements {
        if let Some(reason) = obstacle(turn, &migrate.target, instance, plan) {
            return Err(Rejection::NotPossible { element: instance.element.clone(), reason });
        }
    }
    Ok(())
}

/// What is under way by the old process and cannot be ended by the new one.
fn unfinished(
    turn: &Turn<'_>,
    target: &Process,
    holder: &ElementInstance,
    plan: &BTreeMap<&ElementId, &ElementId>,
) -> Option<&'static str> {
    if ending::is_waiting(holder) {
        return Some("it is being ended");
    }
    let (old, new) = match holder.key == turn.work.record.root.key {
        true => (&turn.process.listeners, Some(&target.listeners)),
        false => {
            let becomes = plan.get(&holder.element).and_then(|to| target.find(to));
            let old = &turn.model(turn.index_of(&holder.element)).listeners;
            (old, becomes.map(|index| &target.element(index).listeners))
        }
    };
    let is_kept = |place: usize| {
        let at = |listeners: &'_ Vec<Listener>| listeners.get(place).map(|l| l.event.clone());
        new.is_some_and(|new| at(old) == at(new))
    };
    let mut open = holder.jobs.iter().filter_map(|job| match job.kind {
        JobKind::Listener { index } => Some(index as usize),
        _ => None,
    });
    open.any(|place| !is_kept(place)).then_some("a listener that is at work would have no place")
}

/// What keeps one element from becoming the other.
fn difference(source: &Element, target: &Element) -> Option<&'static str> {
    if source.kind.name() != target.kind.name() {
        return Some("it would become an element of another kind");
    }
    if let (ElementKind::ServiceTask(source), ElementKind::ServiceTask(target)) =
        (&source.kind, &target.kind)
        && std::mem::discriminant(source) != std::mem::discriminant(target)
    {
        return Some("its work would be done in another way");
    }
    let kind = |element: &Element| element.multi.as_ref().map(|multi| multi.is_sequential);
    if kind(source) != kind(target) {
        return Some("one of them is a multi-instance activity and the other is not");
    }
    None
}

/// What keeps an element instance from going along.
fn obstacle(
    turn: &Turn<'_>,
    target: &Process,
    instance: &ElementInstance,
    plan: &BTreeMap<&ElementId, &ElementId>,
) -> Option<&'static str> {
    let Some(&becomes) = plan.get(&instance.element) else {
        return Some("it runs and the plan does not name it");
    };
    let becomes = target.element(target.find(becomes)?);
    let around = match instance.role {
        // Its scope is the body, which is of the same element.
        Role::Inner => return None,
        _ => turn.work.record.elements.get(instance.scope),
    };
    let expected = around.and_then(|around| plan.get(&around.element).copied());
    let actual = becomes.parent.map(|parent| &target.element(parent).id);
    (expected != actual).then_some("it would move to another scope")
}

/// The element instance and all that lies on it get their new names. Events that the plan does
/// not name are given up.
fn rename(turn: &mut Turn<'_>, key: ElementInstanceKey, plan: &BTreeMap<&ElementId, &ElementId>) {
    let named = |id: &ElementId| plan.get(id).map(|&to| to.clone());
    let old = turn.element(key).element.clone();
    let new = named(&old).unwrap_or_else(|| old.clone());
    let gone: Vec<_> = turn
        .element(key)
        .jobs
        .iter()
        .filter(|job| matches!(&job.kind, JobKind::Timer { event, .. } if named(event).is_none()))
        .map(|job| job.key)
        .collect();
    for job in gone {
        jobs::take(turn, key, job);
        turn.event(crate::outcome::Event::JobCancelled { key: job });
        incidents::close_about(turn, key, job);
    }
    let subscriptions = std::mem::take(&mut turn.element_mut(key).subscriptions);
    for mut subscription in subscriptions {
        turn.work.record.elements.subscription_removed(subscription.key);
        turn.work.changes.subscription_gone(subscription.key);
        let Some(event) = named(&subscription.event) else { continue };
        // Under a new key: rows of the old one go with this change.
        subscription.key = SubscriptionKey::new(turn.next_key());
        subscription.event = event;
        let row = SubscriptionRow { subscription: subscription.clone(), element_instance: key };
        turn.work.record.elements.subscription_added(subscription.key, key);
        turn.element_mut(key).subscriptions.push(subscription);
        turn.work.changes.subscription_opened(row);
    }
    let instance = turn.element_mut(key);
    instance.element = new.clone();
    for job in &mut instance.jobs {
        if let JobKind::Timer { event, .. } = &mut job.kind
            && let Some(new) = named(event)
        {
            *event = new;
        }
    }
    rename_compensations(&mut instance.compensations, plan);
    let (jobs, task) =
        (instance.jobs.iter().map(|job| job.key).collect::<Vec<_>>(), instance.user_task);
    for job in jobs {
        turn.work.changes.job_updated(job);
    }
    if let Some(task) = task
        && new != old
    {
        turn.work.changes.user_task_moved(task, new);
    }
}

/// What the plan does not name cannot be undone any more.
fn rename_compensations(all: &mut ThinVec<Compensation>, plan: &BTreeMap<&ElementId, &ElementId>) {
    let mut levels = vec![all];
    while let Some(level) = levels.pop() {
        level.retain(|one| plan.contains_key(&one.activity));
        for one in level.iter_mut() {
            one.activity = plan[&one.activity].clone();
        }
        levels.extend(level.iter_mut().map(|one| &mut one.inner));
    }
}

/// Events of the new process that nobody waits for yet begin to wait.
pub(crate) fn resubscribe(turn: &mut Turn<'_>, key: ElementInstanceKey) -> Ruled {
    let Some(instance) = turn.work.record.element(key) else { return Ok(()) };
    if instance.state != crate::record::ElementState::Active {
        return Ok(());
    }
    let mut ready = Vec::new();
    if let Some(index) = turn.model_of(key) {
        let element = turn.model(index);
        ready.extend(events::prepare_boundaries(turn, key, element)?);
        if matches!(element.kind, ElementKind::SubProcess(_)) && instance.role != Role::Body {
            ready.extend(events::prepare_event_subprocesses(turn, key)?);
        }
    } else {
        ready.extend(events::prepare_event_subprocesses(turn, key)?);
    }
    for event in ready {
        if !waits(turn.element(key), event_of(&event)) {
            events::open(turn, key, event);
        }
    }
    Ok(())
}

fn event_of<'a>(ready: &Ready<'a>) -> &'a ElementId {
    match ready {
        Ready::Timer(armed) => armed.event(),
        Ready::Subscription { event, .. } => &event.id,
    }
}

fn waits(instance: &ElementInstance, event: &ElementId) -> bool {
    let is_timer =
        |kind: &JobKind| matches!(kind, JobKind::Timer { event: known, .. } if known == event);
    instance.jobs.iter().any(|job| is_timer(&job.kind))
        || instance.subscriptions.iter().any(|subscription| subscription.event == *event)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use orloj_model::{ListenerEvent, Process, SubProcessKind, TimerKind};
    use orloj_types::DefinitionKey;

    use crate::testing::{
        Sketch, Story, end, message, on, on_timer, start, subprocess, user, worker,
    };
    use crate::{Command, Migrate};

    fn old() -> Story {
        let process = Sketch::camunda()
            .node("start", start())
            .node("ask", user())
            .boundary("ask", "late", on_timer(true, TimerKind::Duration, "PT1H"))
            .boundary("ask", "news", on(false, message("news")))
            .node("end", end())
            .flows("start -> ask -> end")
            .flows("late -> end")
            .flows("news -> end");
        let mut story = Story::of(process.build());
        story.start("{}");
        story
    }

    fn to(target: Arc<Process>, plan: &[(&str, &str)]) -> Command {
        let plan = plan.iter().map(|&(from, to)| (from.into(), to.into())).collect();
        Command::Migrate(Migrate { definition: DefinitionKey::new(1), target, plan })
    }

    #[test]
    fn tokens_and_their_events_go_on_in_the_new_process() {
        let target = Sketch::camunda()
            .node("start", start())
            .node("decide", user())
            .boundary("decide", "overdue", on_timer(true, TimerKind::Duration, "PT2H"))
            .boundary("decide", "other", on(true, message("other")))
            .node("then", user())
            .flows("start -> decide -> then")
            .flows("overdue -> then")
            .flows("other -> then")
            .build();
        let mut story = old();
        let told = story.interpret(to(target.clone(), &[("ask", "decide"), ("late", "overdue")]));
        let outcome = told.expect("the plan fits");
        story.process = target;
        insta::assert_snapshot!(story.names.outcome(&outcome), @r#"
        --
        update job1 timer overdue, waiting, retries 3, due +3600 s
        move task1 to decide
        delete subscription1
        insert subscription2 Message { name: "other", correlation_key: None } of other
        at ask job1 task1 subscription2
        "#);
        story.keep(outcome);
        story.pass(3_600_000);
        assert!(story.job_due("overdue").contains("entered then"), "the old due date counts");
    }

    #[test]
    fn what_listeners_work_on_waits_for_them() {
        let listened = |listeners: &[(ListenerEvent, &str)]| {
            let sketch = Sketch::zeebe()
                .node("start", start())
                .node("ask", user())
                .boundary("ask", "late", on_timer(true, TimerKind::Duration, "PT1H"))
                .node("sorry", user())
                .flows("start -> ask")
                .flows("late -> sorry");
            let heard = |sketch: Sketch, (event, name): &(ListenerEvent, &str)| {
                sketch.listener_job("ask", event.clone(), name)
            };
            listeners.iter().fold(sketch, heard).build()
        };
        let on_cancel = [(ListenerEvent::TaskCancel, "first")];
        let mut story = Story::of(listened(&on_cancel));
        story.start("{}");
        story.pass(3_600_000);
        story.job_due("late");
        let plan = [("ask", "ask"), ("late", "late"), ("sorry", "sorry")];
        let told = story.play(to(listened(&on_cancel), &plan));
        assert!(told.contains("it is being ended"), "{told}");
        assert!(story.complete("ask", "{}").contains("entered sorry"));

        let on_start = [(ListenerEvent::Start, "first")];
        let mut story = Story::of(listened(&on_start));
        story.start("{}");
        for other in [&[][..], &on_cancel] {
            let told = story.play(to(listened(other), &plan));
            assert!(told.contains("would have no place"), "{told}");
        }
        let target = listened(&on_start);
        let outcome = story.interpret(to(target.clone(), &plan)).expect("it has the same place");
        story.process = target;
        story.keep(outcome);
        assert!(story.complete("ask", "{}").contains("insert task1"));
    }

    #[test]
    fn an_instance_stops_after_the_element_under_its_new_name() {
        let mut story = old();
        let record = Arc::make_mut(story.record.as_mut().expect("it lives"));
        record.stops_after = vec!["ask".into(), "end".into()];
        let target = Sketch::camunda()
            .node("start", start())
            .node("decide", user())
            .node("end", end())
            .flows("start -> decide -> end")
            .build();
        let outcome = story.interpret(to(target.clone(), &[("ask", "decide")]));
        story.process = target;
        story.keep(outcome.expect("the plan fits"));
        let stops_after = &story.record.as_ref().expect("it lives").stops_after;
        assert_eq!(*stops_after, ["decide".into(), "end".into()]);
    }

    #[test]
    fn a_plan_that_does_not_fit_changes_nothing() {
        let target = Sketch::camunda()
            .node("start", start())
            .node("ask", user())
            .node("pay", worker("charge"))
            .node("sub", subprocess(SubProcessKind::Embedded))
            .node("inner", user())
            .inside("sub", &["inner"])
            .flows("start -> ask -> pay")
            .build();
        let mut story = old();
        let record = story.record.clone();
        for (plan, why) in [
            (&[][..], "the plan does not name it"),
            (&[("ask", "pay")], "another kind"),
            (&[("ask", "inner")], "another scope"),
            (&[("ask", "nowhere")], "no element nowhere"),
            (&[("nowhere", "ask")], "no element nowhere"),
        ] {
            let told = story.play(to(target.clone(), plan));
            assert!(told.contains(why), "{told}");
            assert_eq!(story.record, record);
        }
    }
}
