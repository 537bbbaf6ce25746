//! Results that the instances of a multi-instance activity leave: Zeebe's output collection and
//! Flowable's aggregations. They are a list on the body, in the order of the items, which goes
//! outward when the body is done.
//!
//! Writing a long list once per result would cost its square, so results of long ones are kept
//! aside until the command or the body is over.

use std::sync::Arc;

use orloj_expr::Scope as _;
use orloj_model::{Aggregated, AggregatedSource, Aggregation, Element, MultiInstance};
use orloj_types::{ElementInstanceKey, Value};

use crate::extract;
use crate::failure::{Failure, FailureKind, Ruled};
use crate::turn::Turn;
use crate::variables::{self, View};

/// Up to this length a list is written whenever a result is added, as the engines do; a list of
/// this length takes some microseconds.
const WRITTEN_AT_ONCE_MAX: usize = 256;

/// A list that is not yet written back.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    name: Arc<str>,
    items: Vec<Value>,
}

/// The list is there from the beginning where the model names it as a variable.
pub(crate) fn begin(
    turn: &mut Turn<'_>,
    body: ElementInstanceKey,
    multi: &MultiInstance,
    total: u32,
) {
    if let Some(output) = &multi.output {
        let list = Value::List(Arc::new(vec![Value::Null; total as usize])).to_stored();
        variables::set_local(&mut turn.work.record, body, [(&output.variable, &list)]);
    }
    let element = turn.model(turn.index_of(&turn.element(body).element));
    let scope = turn.element(body).scope;
    for aggregation in multi.aggregations.iter().filter(|a| a.creates_overview) {
        // What cannot be named yet is seen when the first result comes.
        if let Ok(Some(name)) = name_of(turn, body, element, aggregation) {
            let list = Value::List(Arc::default()).to_stored();
            variables::set_local(&mut turn.work.record, scope, [(&name, &list)]);
        }
    }
}

/// What the instance leaves, by the name of the list.
pub(crate) fn results(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    multi: &MultiInstance,
) -> Ruled<Vec<(Arc<str>, Value)>> {
    let mut results = Vec::new();
    if let Some(output) = &multi.output {
        results.push((output.variable.clone(), turn.evaluate(&element.id, key, &output.element)?));
    }
    for aggregation in &multi.aggregations {
        let object = object_of(turn, key, element, aggregation)?;
        let name = name_of(turn, key, element, aggregation)?;
        results.extend(name.map(|name| (name, object)));
    }
    Ok(results)
}

/// The variable for the list, if there is one.
fn name_of(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    aggregation: &Aggregation,
) -> Ruled<Option<Arc<str>>> {
    let target = aggregation.target.as_ref();
    target.map(|target| extract::text(turn, key, element, "target", target)).transpose()
}

fn object_of(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    aggregation: &Aggregation,
) -> Ruled<Value> {
    if aggregation.variables.is_empty() {
        return Err(unusable(element, "the aggregation says of nothing what is gathered"));
    }
    let mut object = std::collections::BTreeMap::new();
    for Aggregated { source, name } in &aggregation.variables {
        let (value, own) = match source {
            AggregatedSource::Variable(variable) => {
                (View::new(&turn.work.record, key).get(variable), Some(variable.clone()))
            }
            AggregatedSource::Value(value) => (Some(turn.evaluate(&element.id, key, value)?), None),
            AggregatedSource::Nothing => (None, None),
        };
        let name = match name {
            Some(name) => Some(extract::text(turn, key, element, "target", name)?),
            None => own,
        };
        object.extend(name.zip(value));
    }
    Ok(Value::Map(Arc::new(object)))
}

fn unusable(element: &Element, why: &str) -> Failure {
    Failure::new(&element.id, FailureKind::Foreign, why)
}

/// Adds the results of the instance at `place`.
pub(crate) fn put(
    turn: &mut Turn<'_>,
    body: ElementInstanceKey,
    place: u32,
    results: Vec<(Arc<str>, Value)>,
) {
    for (name, value) in results {
        let mut pending = take(turn, body, &name);
        let place = place as usize;
        if pending.items.len() <= place {
            pending.items.resize(place + 1, Value::Null);
        }
        pending.items[place] = value;
        match pending.items.len() > WRITTEN_AT_ONCE_MAX {
            true => {
                let (member, _) = turn.work.at();
                turn.work.gathered.entry((member, body)).or_default().push(pending);
            }
            false => write(turn, body, pending),
        }
    }
}

/// The list as it is now, to be changed.
fn take(turn: &mut Turn<'_>, body: ElementInstanceKey, name: &Arc<str>) -> Pending {
    let (member, _) = turn.work.at();
    if let Some(kept) = turn.work.gathered.get_mut(&(member, body))
        && let Some(position) = kept.iter().position(|pending| pending.name == *name)
    {
        return kept.swap_remove(position);
    }
    let own = turn.work.record.variables.get(&body);
    let items = match own.and_then(|own| own.get(name)).map(Value::from) {
        Some(Value::List(items)) => Arc::unwrap_or_clone(items),
        _ => Vec::new(),
    };
    Pending { name: name.clone(), items }
}

fn write(turn: &mut Turn<'_>, body: ElementInstanceKey, pending: Pending) {
    let list = Value::List(Arc::new(pending.items)).to_stored();
    variables::set_local(&mut turn.work.record, body, [(&pending.name, &list)]);
}

/// Writes what was kept aside for the body.
fn settle(turn: &mut Turn<'_>, body: ElementInstanceKey) {
    let (member, _) = turn.work.at();
    for pending in turn.work.gathered.remove(&(member, body)).unwrap_or_default() {
        write(turn, body, pending);
    }
}

/// The command is over: everything that was kept aside is written.
pub(crate) fn settle_all(turn: &mut Turn<'_>) {
    let (here, _) = turn.work.at();
    while let Some((&(member, body), _)) = turn.work.gathered.first_key_value() {
        turn.switch(member);
        match turn.work.ended.is_none() && turn.work.record.element(body).is_some() {
            true => settle(turn, body),
            false => {
                turn.work.gathered.remove(&(member, body));
            }
        }
    }
    turn.switch(here);
}

/// The body is done: its lists become variables of the scope around it.
pub(crate) fn give(turn: &mut Turn<'_>, body: ElementInstanceKey, multi: &MultiInstance) -> Ruled {
    settle(turn, body);
    let mut names = Vec::new();
    names.extend(multi.output.iter().map(|output| (output.variable.clone(), false)));
    let element = turn.model(turn.index_of(&turn.element(body).element));
    for aggregation in &multi.aggregations {
        let Some(name) = name_of(turn, body, element, aggregation)? else {
            return Err(unusable(element, "there is no variable for what was gathered"));
        };
        names.push((name, aggregation.is_transient));
    }
    let scope = turn.element(body).scope;
    let how = turn.semantics().completion;
    for (name, is_transient) in names {
        let own = turn.work.record.variables.get(&body).and_then(|own| own.get(&name)).cloned();
        let Some(list) = own else { continue };
        // Places of instances that were not completed are no results of an aggregation.
        let list = match Value::from(&list) {
            Value::List(items) if multi.output.is_none() => {
                let items = items.iter().filter(|item| !matches!(item, Value::Null)).cloned();
                Value::List(Arc::new(items.collect())).to_stored()
            }
            _ => list,
        };
        match multi.output.is_some() {
            _ if is_transient => turn.work.set_transient(scope, &name, list),
            true => variables::give(&mut turn.work.record, how, scope, [(&name, &list)]),
            // Aggregations belong to the scope around the body, whatever lies further out.
            false => variables::set_local(&mut turn.work.record, scope, [(&name, &list)]),
        }
        turn.note_variables();
    }
    Ok(())
}
