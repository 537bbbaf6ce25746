//! The ad-hoc subprocess (BPMN 10.3.5, 13.3.7): its elements begin in any order, chosen at run
//! time.
//!
//! DIFFERENCE: Zeebe is told by an expression or a client which elements begin, each in a branch
//! of its own, and is done when all branches are or its completion condition holds; without a list
//! it stays open. Where a worker decides, it is asked again whenever a branch has ended, until it
//! says that nothing else is to begin. Flowable's elements are begun from outside, and so is its
//! end.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_model::{AdHoc, Element, ElementIndex, ElementKind, SubProcess, SubProcessKind};
use orloj_types::{Document, ElementInstanceKey, JobKey, StoredValue, Value, Variables};

use super::{Begun, is_through, service_task};
use crate::agenda::Step;
use crate::command::Rejection;
use crate::commands::take_over;
use crate::ending;
use crate::events;
use crate::extract;
use crate::failure::{Failure, FailureKind, Ruled};
use crate::flow;
use crate::job_result::AdHocResult;
use crate::jobs::Draft;
use crate::multi_instance::plain_name;
use crate::outcome::Event;
use crate::record::{After, ElementInstance, ElementState, JobKind, Role, SubscriptionKind};
use crate::subprocess_scope;
use crate::turn::Turn;
use crate::{incidents, jobs, variables};

/// The variable that tells which elements there are.
const CHOICE: &str = "adHocSubProcessElements";

pub(crate) fn begin(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    index: ElementIndex,
    inner: &SubProcess,
    ad_hoc: &AdHoc,
) -> Ruled<Begun> {
    let element = turn.model(index);
    if !ad_hoc.by_hand {
        let choice = Value::List(Arc::new(choices(turn, inner))).to_stored();
        variables::set_local(&mut turn.work.record, key, [(&Arc::from(CHOICE), &choice)]);
    }
    let first = match &ad_hoc.active_elements {
        Some(expression) => chosen(turn, key, element, inner, expression)?,
        None => Vec::new(),
    };
    let boundaries = events::prepare_boundaries(turn, key, element)?;
    if let Some(worker) = &ad_hoc.worker {
        service_task::create_job(turn, key, element, worker)?;
    }
    subprocess_scope::open(turn, key)?;
    if ad_hoc.by_hand {
        events::open_all(turn, key, boundaries);
        let kind = SubscriptionKind::Hand;
        events::open(turn, key, events::Ready::Subscription { event: element, kind });
        return Ok(Begun::Waits);
    }
    if let Some((name, _)) = &ad_hoc.output {
        let none = Value::List(Arc::default()).to_stored();
        variables::set_local(&mut turn.work.record, key, [(name, &none)]);
    }
    if ad_hoc.worker.is_none() {
        events::open_all(turn, key, boundaries);
    }
    for element in first {
        begin_branch(turn, key, ad_hoc, element, Variables::new());
    }
    Ok(Begun::Waits)
}

/// The inside of the element instance, if it is an ad-hoc subprocess that a worker decides on.
pub(crate) fn of<'a>(
    turn: &Turn<'a>,
    key: ElementInstanceKey,
) -> Option<(&'a SubProcess, &'a AdHoc)> {
    let ElementKind::SubProcess(inner) = &turn.model(turn.model_of(key)?).kind else { return None };
    match &inner.kind {
        SubProcessKind::AdHoc(ad_hoc) if ad_hoc.worker.is_some() => Some((inner, ad_hoc)),
        _ => None,
    }
}

/// Whether the worker may decide so.
pub(crate) fn check(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    job: JobKey,
    result: &AdHocResult,
) -> Result<(), Rejection> {
    if result.is_fulfilled && !result.activate.is_empty() {
        let reason = "nothing can begin where nothing else is to begin";
        return Err(Rejection::ResultRefused { job, reason });
    }
    let members = of(turn, key).map(|(inner, _)| &inner.scope.members);
    for (element, _) in &result.activate {
        let index = turn.process.find(element);
        let is_choice = index.is_some_and(|index| {
            members.is_some_and(|members| members.contains(&index)) && is_choice(turn.model(index))
        });
        if !is_choice {
            return Err(Rejection::ActivationNotFound { job, element: element.clone() });
        }
    }
    Ok(())
}

/// The worker has said what is to happen.
pub(crate) fn decided(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    document: &Document,
    result: &AdHocResult,
) {
    let Some((_, ad_hoc)) = of(turn, key) else { return };
    let index = turn.index_of(&turn.element(key).element);
    let completion = ad_hoc.worker.as_ref().map(|worker| worker.completion);
    let how = completion.unwrap_or(turn.semantics().completion);
    take_over(turn, key, turn.model(index), how, document);
    let is_held = result.cancels_rest && ending::hold_children(turn, key, None);
    for (id, variables) in &result.activate {
        begin_branch(turn, key, ad_hoc, turn.index_of(id), variables.0.clone());
    }
    if result.is_fulfilled {
        // As a join that has been let through: nothing but its last branches holds it.
        turn.element_mut(key).arrived_by = Some(turn.model(index).id.clone());
        if is_empty(turn, key) {
            complete(turn, key);
        } else if is_held && result.activate.is_empty() {
            ending::then(turn, key, After::Completed);
        }
    }
}

fn is_empty(turn: &Turn<'_>, key: ElementInstanceKey) -> bool {
    let (member, _) = turn.work.at();
    !turn.work.record.elements.has_children(key) && !turn.work.agenda.has_tokens(member, key)
}

/// The elements that nothing leads to, which can be begun.
///
/// Models pick from this list by position, so it is told in the order that Zeebe tells it in.
fn choices(turn: &Turn<'_>, inner: &SubProcess) -> Vec<Value> {
    let process = turn.process;
    let members = inner.scope.members.iter().rev().map(|&index| process.element(index));
    let mut members: Vec<&Element> = members.filter(|element| is_choice(element)).collect();
    let buckets = buckets_for(members.len());
    members.sort_by_key(|element| bucket(&element.id, buckets));
    members
        .into_iter()
        .map(|element| {
            let mut told: BTreeMap<Arc<str>, Value> = BTreeMap::new();
            told.insert("elementId".into(), Value::text(element.id.as_str()));
            if let Some(name) = &element.name {
                told.insert("elementName".into(), Value::text(name.clone()));
            }
            Value::Map(Arc::new(told))
        })
        .collect()
}

/// A hash table of Zeebe's kind begins with so many buckets and doubles them when it is three
/// quarters full.
const BUCKETS_MIN: usize = 16;

fn buckets_for(count: usize) -> usize {
    let mut buckets = BUCKETS_MIN;
    while count * 4 > buckets * 3 {
        buckets *= 2;
    }
    buckets
}

fn bucket(id: &str, buckets: usize) -> usize {
    let hash = id
        .encode_utf16()
        .fold(0_u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(u32::from(unit)));
    (hash ^ (hash >> 16)) as usize & (buckets - 1)
}

fn is_choice(element: &Element) -> bool {
    element.incoming.is_empty()
        && !element.is_for_compensation
        && !element.kind.is_event_subprocess()
        && !matches!(element.kind, ElementKind::BoundaryEvent(_))
}

fn chosen(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    inner: &SubProcess,
    expression: &orloj_expr::Expression,
) -> Ruled<Vec<ElementIndex>> {
    let wanted = match turn.evaluate(&element.id, key, expression)? {
        Value::List(items) => items,
        other => return Err(extract::wrong(element, "active elements", "a list", &other)),
    };
    let mut found = Vec::with_capacity(wanted.len());
    for id in wanted.iter() {
        let Value::Text(id) = id else {
            return Err(extract::wrong(element, "active elements", "a list of strings", id));
        };
        let index = turn
            .process
            .find(id)
            .filter(|&index| inner.scope.members.contains(&index) && is_choice(turn.model(index)));
        found.push(index.ok_or_else(|| {
            let message = format!("there is no element '{id}' to begin with");
            Failure::new(&element.id, FailureKind::ExtractValue, message)
        })?);
    }
    Ok(found)
}

/// One activation, in a scope of its own.
fn begin_branch(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    ad_hoc: &AdHoc,
    element: ElementIndex,
    variables: Variables,
) {
    let branch = ElementInstanceKey::new(turn.next_key());
    let id = turn.element(key).element.clone();
    let mut instance = ElementInstance::new(branch, id, key, turn.now);
    instance.role = Role::Branch;
    instance.state = ElementState::Active;
    turn.work.record.elements.insert(instance);
    flow::note_entered(turn, branch);
    if !variables.is_empty() {
        variables::set_local(&mut turn.work.record, branch, &variables);
        turn.note_variables();
    }
    if let Some(name) = ad_hoc.output.as_ref().and_then(|(_, result)| plain_name(result)) {
        let null = StoredValue::null();
        variables::set_local(&mut turn.work.record, branch, [(&Arc::from(name), &null)]);
    }
    let (scope, role, with) = (branch, Role::Plain, Variables::new());
    turn.work.push(Step::Arrive { element, scope, role, with });
}

/// Nothing is left in a branch.
pub(crate) fn branch_emptied(turn: &mut Turn<'_>, branch: ElementInstanceKey) -> Ruled {
    let key = turn.element(branch).scope;
    let element = turn.model(turn.index_of(&turn.element(key).element));
    let ElementKind::SubProcess(SubProcess { kind: SubProcessKind::AdHoc(ad_hoc), .. }) =
        &element.kind
    else {
        return Ok(());
    };
    let result = match &ad_hoc.output {
        Some((name, result)) => Some((name, turn.evaluate(&element.id, branch, result)?)),
        None => None,
    };
    let is_enough = match &ad_hoc.completion {
        Some(condition) => match turn.evaluate(&element.id, key, condition)? {
            Value::Bool(holds) => Some(holds),
            other => {
                return Err(extract::wrong(element, "completion condition", "a boolean", &other));
            }
        },
        None => None,
    };
    let asks = match &ad_hoc.worker {
        Some(worker) if !is_through(turn.element(key)) => {
            Some(service_task::draft(turn, key, element, worker)?)
        }
        _ => None,
    };
    flow::vanish(turn, branch);
    if let Some((name, result)) = result {
        let own = turn.work.record.variables.get(&key).and_then(|own| own.get(name));
        let mut results = match own.map(Value::from) {
            Some(Value::List(results)) => Arc::unwrap_or_clone(results),
            _ => Vec::new(),
        };
        results.push(result);
        let results = Value::List(Arc::new(results)).to_stored();
        variables::set_local(&mut turn.work.record, key, [(name, &results)]);
    }
    if let Some(draft) = asks {
        ask_again(turn, key, draft);
        return Ok(());
    }
    let is_empty = is_empty(turn, key);
    match is_enough {
        Some(true) if ad_hoc.cancels_rest => match ending::hold_children(turn, key, None) {
            true => ending::then(turn, key, After::Completed),
            false => complete(turn, key),
        },
        Some(false) => {}
        _ if is_empty => complete(turn, key),
        _ => {}
    }
    Ok(())
}

/// The worker decides on what has changed, and no longer on what was.
fn ask_again(turn: &mut Turn<'_>, key: ElementInstanceKey, draft: Draft) {
    let jobs = turn.element(key).jobs.iter();
    let asked = jobs.filter(|job| job.kind == JobKind::Worker).map(|job| job.key);
    for job in asked.collect::<Vec<_>>() {
        jobs::take(turn, key, job);
        turn.event(Event::JobCancelled { key: job });
        incidents::close_about(turn, key, job);
    }
    jobs::create(turn, key, draft);
}

/// What was gathered goes outward; everything else stays inside.
pub(crate) fn complete(turn: &mut Turn<'_>, key: ElementInstanceKey) {
    let kind = turn.model_of(key).map(|index| &turn.model(index).kind);
    let Some(ElementKind::SubProcess(SubProcess { kind: SubProcessKind::AdHoc(ad_hoc), .. })) =
        kind
    else {
        return;
    };
    if let Some((name, _)) = &ad_hoc.output {
        let own = turn.work.record.variables.get(&key).and_then(|own| own.get(name)).cloned();
        let (how, scope) = (turn.semantics().completion, turn.element(key).scope);
        if let Some(results) = own {
            variables::give(&mut turn.work.record, how, scope, [(name, &results)]);
            turn.note_variables();
        }
    }
    flow::complete_in_turn(turn, key);
}

#[cfg(test)]
mod tests {
    use super::{bucket, buckets_for};
    use orloj_expr::Expression;
    use orloj_model::{AdHoc, CompletionVariables, ElementKind, SubProcessKind, WorkerTask};
    use orloj_types::Value;

    use crate::testing::{Sketch, Story, document, start, subprocess, user, worker};
    use crate::{AdHocResult, Command, JobResult};

    /// A worker decides when `note` and `pay` begin.
    fn decided() -> Story {
        let job_type = Expression::constant(Value::text("decide"));
        let ad_hoc = AdHoc {
            by_hand: false,
            is_sequential: false,
            completion: None,
            cancels_rest: false,
            active_elements: None,
            worker: Some(WorkerTask::of(job_type, CompletionVariables::Merge)),
            output: None,
        };
        let process = Sketch::zeebe()
            .node("start", start())
            .node("choose", subprocess(SubProcessKind::AdHoc(ad_hoc)))
            .node("note", ElementKind::PlainTask)
            .node("pay", worker("pay"))
            .inside("choose", &["note", "pay"])
            .node("then", user())
            .flows("start -> choose -> then");
        let mut story = Story::of(process.build());
        story.start(r#"{"n":1}"#);
        story
    }

    fn decide(story: &mut Story, result: AdHocResult) -> String {
        let (job, variables) = (story.job_of("choose"), document(r#"{"n":2}"#));
        let (result, activations) = (JobResult::AdHoc(result), Vec::new());
        story.play(Command::CompleteJob { job, variables, result, activations })
    }

    fn activate(ids: &[&str]) -> AdHocResult {
        let activate = |id: &&str| ((*id).into(), document(r#"{"own":true}"#));
        AdHocResult { activate: ids.iter().map(activate).collect(), ..AdHocResult::default() }
    }

    fn enough() -> AdHocResult {
        AdHocResult { is_fulfilled: true, ..AdHocResult::default() }
    }

    /// What happened, without the rows and the variables.
    fn happened(told: &str) -> Vec<&str> {
        told.lines().take_while(|line| *line != "--").collect()
    }

    #[test]
    fn a_worker_is_asked_again_when_what_it_began_has_ended() {
        let mut story = decided();
        insta::assert_snapshot!(decide(&mut story, activate(&["pay"])), @r#"
        job1 completed
        entered choose#2
        entered pay
        job2 created pay
        --
        delete job1
        insert job2 pay of pay, ready, retries 3
        at choose
        at choose#2
        at pay job2
        instance: {"n":2}
        choose: {"adHocSubProcessElements":[{"elementId":"note"},{"elementId":"pay"}]}
        choose#2: {"own":true}
        "#);
        let told = story.complete("pay", "{}");
        assert_eq!(
            happened(&told),
            ["job2 completed", "left pay", "left choose#2", "job3 created decide"]
        );
        let told = decide(&mut story, enough());
        assert_eq!(happened(&told), ["job3 completed", "left choose", "entered then"]);
    }

    #[test]
    fn one_job_asks_about_all_that_has_ended_since() {
        let mut story = decided();
        let told = decide(&mut story, activate(&["note", "pay", "note"]));
        let asked: Vec<_> =
            happened(&told).into_iter().filter(|l| l.ends_with(" decide")).collect();
        assert_eq!(asked.len(), 2);
        let waiting = story.jobs.values().filter(|row| &*row.job.job_type == "decide");
        assert_eq!(waiting.count(), 1);
    }

    #[test]
    fn when_nothing_else_is_to_begin_it_ends_with_the_last_or_at_once() {
        let mut story = decided();
        decide(&mut story, activate(&["note", "pay"]));
        assert_eq!(happened(&decide(&mut story, enough())), ["job3 completed"]);
        let told = story.complete("pay", "{}");
        assert_eq!(
            happened(&told),
            ["job2 completed", "left pay", "left choose#3", "left choose", "entered then"]
        );
        let mut story = decided();
        decide(&mut story, activate(&["note", "pay"]));
        let told = decide(&mut story, AdHocResult { cancels_rest: true, ..enough() });
        assert_eq!(
            happened(&told),
            [
                "job3 completed",
                "job2 cancelled",
                "terminated pay",
                "terminated choose#3",
                "left choose",
                "entered then"
            ]
        );
    }

    #[test]
    fn a_worker_that_says_nothing_leaves_it_open() {
        let mut story = decided();
        story.complete("choose", "{}");
        assert!(story.jobs.is_empty());
        assert!(story.record.as_ref().is_some_and(|record| record.elements.iter().count() == 1));
    }

    #[test]
    fn what_cannot_begin_is_refused_and_the_job_stays() {
        let mut story = decided();
        assert!(decide(&mut story, activate(&["then"])).contains("cannot begin then"));
        let both = AdHocResult { is_fulfilled: true, ..activate(&["pay"]) };
        assert!(decide(&mut story, both).contains("nothing can begin"));
        assert_eq!(story.jobs.len(), 1);
    }

    #[test]
    fn elements_are_told_in_the_order_of_a_hash_table() {
        let told = |ids: &[&str]| {
            let mut told: Vec<&str> = ids.iter().rev().copied().collect();
            told.sort_by_key(|id| bucket(id, buckets_for(ids.len())));
            told.join(" ")
        };
        assert_eq!(
            told(&["Activity_1x2k", "Activity_9aab", "Task_B"]),
            "Activity_9aab Task_B Activity_1x2k"
        );
        assert_eq!(told(&["s", "ct", "nt"]), "ct s nt");
        // The thirteenth doubles the buckets.
        let fillers = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"];
        assert!(told(&[&fillers[..], &["Q"]].concat()).starts_with("Q a "));
        assert!(told(&[&fillers[..], &["Q", "l"]].concat()).ends_with(" Q"));
    }

    #[test]
    fn what_a_flow_leads_to_is_not_begun_by_a_list() {
        let sketch = Sketch::zeebe();
        let ad_hoc = AdHoc {
            by_hand: false,
            is_sequential: false,
            completion: None,
            cancels_rest: true,
            active_elements: Some(sketch.expression(r#"["note", "pay"]"#)),
            worker: None,
            output: None,
        };
        let process = sketch
            .node("start", start())
            .node("choose", subprocess(SubProcessKind::AdHoc(ad_hoc)))
            .node("note", worker("note"))
            .node("pay", worker("pay"))
            .inside("choose", &["note", "pay"])
            .flows("start -> choose")
            .flows("note -> pay");
        let told = Story::of(process.build()).start("{}");
        assert!(told.contains("EXTRACT_VALUE_ERROR: there is no element 'pay'"), "{told}");
    }
}
