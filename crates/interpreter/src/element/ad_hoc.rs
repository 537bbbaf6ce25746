//! The ad-hoc subprocess (BPMN 10.3.5, 13.3.7): its elements begin in any order, chosen at run
//! time.
//!
//! DIFFERENCE: Zeebe is told by an expression or a client which elements begin, each in a branch
//! of its own, and is done when all branches are or its completion condition holds; without a list
//! it stays open. Flowable's elements are begun from outside, and so is its end.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_model::{AdHoc, Element, ElementIndex, ElementKind, SubProcess, SubProcessKind};
use orloj_types::{ElementInstanceKey, StoredValue, Value, Variables};

use super::{Begun, service_task};
use crate::agenda::Step;
use crate::events;
use crate::extract;
use crate::failure::{Failure, FailureKind, Ruled};
use crate::flow;
use crate::multi_instance::plain_name;
use crate::record::{ElementInstance, ElementState, Role, SubscriptionKind};
use crate::subprocess_scope;
use crate::turn::Turn;
use crate::{scope, variables};

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
    if !extract::is_lenient(turn) {
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
    if extract::is_lenient(turn) {
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
        begin_branch(turn, key, ad_hoc, element);
    }
    Ok(Begun::Waits)
}

/// The elements that nothing leads to, which can be begun.
fn choices(turn: &Turn<'_>, inner: &SubProcess) -> Vec<Value> {
    let process = turn.process;
    let members = inner.scope.members.iter().map(|&index| process.element(index));
    let open = members.filter(|element| {
        element.incoming.is_empty()
            && !element.is_for_compensation
            && !element.kind.is_event_subprocess()
            && !matches!(element.kind, ElementKind::BoundaryEvent(_))
    });
    open.map(|element| {
        let mut told: BTreeMap<Arc<str>, Value> = BTreeMap::new();
        told.insert("elementId".into(), Value::text(element.id.as_str()));
        if let Some(name) = &element.name {
            told.insert("elementName".into(), Value::text(name.clone()));
        }
        Value::Map(Arc::new(told))
    })
    .collect()
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
        let index = turn.process.find(id).filter(|index| inner.scope.members.contains(index));
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
) {
    let branch = ElementInstanceKey::new(turn.next_key());
    let id = turn.element(key).element.clone();
    let mut instance = ElementInstance::new(branch, id, key, turn.now);
    instance.role = Role::Branch;
    instance.state = ElementState::Active;
    turn.work.record.elements.insert(instance);
    flow::note_entered(turn, branch);
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
    let (member, _) = turn.work.at();
    let is_empty =
        !turn.work.record.elements.has_children(key) && !turn.work.agenda.has_tokens(member, key);
    match is_enough {
        Some(true) if ad_hoc.cancels_rest => {
            scope::terminate_children(turn, key, None);
            complete(turn, key, ad_hoc);
        }
        Some(false) => {}
        _ if is_empty => complete(turn, key, ad_hoc),
        _ => {}
    }
    Ok(())
}

/// What was gathered goes outward; everything else stays inside.
fn complete(turn: &mut Turn<'_>, key: ElementInstanceKey, ad_hoc: &AdHoc) {
    if let Some((name, _)) = &ad_hoc.output {
        let own = turn.work.record.variables.get(&key).and_then(|own| own.get(name)).cloned();
        let (how, scope) = (turn.semantics().completion, turn.element(key).scope);
        if let Some(results) = own {
            variables::give(&mut turn.work.record, how, scope, [(name, &results)]);
            turn.note_variables();
        }
    }
    flow::complete(turn, key);
}
