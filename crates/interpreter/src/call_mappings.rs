//! What goes into a called instance, comes out of it, or goes along with a signal.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use orloj_expr::Expression;
use orloj_model::{CallMapping, CompletionVariables, Element, ElementKind};
use orloj_types::{Document, ElementInstanceKey, StoredValue, Value};

use crate::agenda::MemberIndex;
use crate::extract;
use crate::failure::Ruled;
use crate::record::Role;
use crate::turn::Turn;
use crate::variables::{self, View};

/// The variables that the mappings give, as seen from the element.
pub(crate) fn payload(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    mappings: &[CallMapping],
) -> Ruled<Document> {
    payload_from(turn, &View::new(&turn.work.record, key), element, mappings)
}

/// The same, seen in a certain way.
pub(crate) fn payload_from(
    turn: &Turn<'_>,
    view: &View<'_>,
    element: &Element,
    mappings: &[CallMapping],
) -> Ruled<Document> {
    let mut payload = Document::new();
    let local = local_to(turn, view, element);
    for mapping in mappings {
        match mapping {
            CallMapping::All { is_local } => {
                let all = match is_local {
                    true => local.all(),
                    false => view.record().visible(view.scope()),
                };
                for (name, value) in &all {
                    payload.insert(name.clone(), value.clone());
                }
            }
            CallMapping::Value { source, target, skips_missing, is_local, .. } => {
                let seen = if *is_local { &local } else { view };
                let value = value_of(turn, seen, element, source, *skips_missing)?;
                let Some(value) = value else { continue };
                let name = target_name(turn, view, element, target)?;
                payload.insert(name, value.to_stored());
            }
        }
    }
    Ok(payload)
}

/// What an element calls its own.
///
/// DIFFERENCE: in Camunda an instance of a sequence has what the body has, as its item is there.
fn local_to<'v>(turn: &Turn<'_>, view: &View<'v>, element: &Element) -> View<'v> {
    let instance = view.record().element(view.scope());
    let is_in_sequence = instance.is_some_and(|instance| instance.role == Role::Inner)
        && element.multi.as_ref().is_some_and(|multi| multi.is_sequential);
    match is_in_sequence && turn.semantics().loops.sequence_on_body {
        true => view.nearest(2),
        false => view.nearest(1),
    }
}

/// `None` where nothing is found and that does not matter.
fn value_of(
    turn: &Turn<'_>,
    view: &View<'_>,
    element: &Element,
    source: &Expression,
    skips_missing: bool,
) -> Ruled<Option<Value>> {
    let value = turn.evaluate_in(&element.id, view, source)?;
    Ok(Some(value).filter(|value| !(skips_missing && matches!(value, Value::Null))))
}

/// What a called instance that has ended gives back.
#[derive(Debug)]
pub(crate) struct Given {
    name: Arc<str>,
    value: StoredValue,
    is_local: bool,
    is_transient: bool,
}

/// What a called instance gives back to its call activity, whose instance is at work. Nothing
/// changes yet.
pub(crate) fn gather(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    called: MemberIndex,
) -> Ruled<Vec<Given>> {
    let ElementKind::CallActivity(call) = &element.kind else { return Ok(Vec::new()) };
    let mut given = GivenOnce::default();
    let record = turn.work.record_of(called);
    let view = View::new(record, record.root.key);
    let here = View::new(&turn.work.record, key);
    let how = turn.semantics().completion;
    if how == CompletionVariables::Merge && !element.outputs.is_empty() {
        // The element's own mappings choose among everything.
        let all = record.variables.get(&record.root.key).into_iter().flatten();
        let given = all.map(|(name, value)| {
            let (name, value) = (name.clone(), value.clone());
            Given { name, value, is_local: true, is_transient: false }
        });
        return Ok(given.collect());
    }
    for mapping in &call.outputs {
        match mapping {
            CallMapping::All { is_local } => {
                let all = record.variables.get(&record.root.key);
                for (name, value) in all.into_iter().flatten() {
                    let (name, value) = (name.clone(), value.clone());
                    let (is_local, is_transient) = (*is_local, false);
                    given.put(Given { name, value, is_local, is_transient });
                }
            }
            CallMapping::Value {
                source, target, is_local, is_transient, skips_missing, ..
            } => {
                let value = value_of(turn, &view, element, source, *skips_missing)?;
                let Some(value) = value else { continue };
                let given_back = Given {
                    name: target_name(turn, &here, element, target)?,
                    value: value.to_stored(),
                    is_local: *is_local,
                    is_transient: *is_transient,
                };
                given.put(given_back);
            }
        }
    }
    Ok(given.all)
}

/// What comes back, by the place of its name: a variable is set once, whatever number of mappings
/// name it, and to what the last of them gives.
#[derive(Default)]
struct GivenOnce {
    all: Vec<Given>,
    places: BTreeMap<(Arc<str>, bool, bool), usize>,
}

impl GivenOnce {
    fn put(&mut self, given: Given) {
        let what = (given.name.clone(), given.is_local, given.is_transient);
        match self.places.entry(what) {
            Entry::Occupied(place) => self.all[*place.get()] = given,
            Entry::Vacant(place) => {
                place.insert(self.all.len());
                self.all.push(given);
            }
        }
    }
}

/// Puts what was gathered where it belongs.
pub(crate) fn give_back(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    given: &[Given],
) {
    let how = turn.semantics().completion;
    // Output mappings of the element choose among what was merged.
    let stays = !element.outputs.is_empty() && how == CompletionVariables::Merge;
    for Given { name, value, is_local, is_transient } in given {
        if *is_transient {
            let scope = if *is_local { key } else { turn.work.record.root.key };
            turn.work.set_transient(scope, name, value.clone());
            continue;
        }
        let record = &mut turn.work.record;
        match *is_local || stays {
            true => variables::set_local(record, key, [(name, value)]),
            false => variables::give(record, how, key, [(name, value)]),
        }
    }
    if !given.is_empty() {
        turn.note_variables();
    }
}

fn target_name(
    turn: &Turn<'_>,
    view: &View<'_>,
    element: &Element,
    target: &Expression,
) -> Ruled<Arc<str>> {
    match turn.evaluate_in(&element.id, view, target)? {
        Value::Text(name) => Ok(name),
        other => Err(extract::wrong(element, "target variable", "a string", &other)),
    }
}
