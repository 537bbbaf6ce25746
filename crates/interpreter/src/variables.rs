//! Where variables are found and where they go.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_expr::Scope;
use orloj_model::{CompletionVariables, Element, VariableEvent};
use orloj_types::{Document, ElementInstanceKey, StoredValue, Value, Variables};

use crate::record::Record;
use crate::turn::Turn;

/// The variables seen from a scope outward, the nearest winning.
pub(crate) struct View<'a> {
    record: &'a Record,
    scope: ElementInstanceKey,
    /// Results of a mapping at work, which later entries of it see first.
    over: Option<&'a BTreeMap<Arc<str>, Value>>,
    /// How many scopes are seen, from the nearest one on.
    scopes: usize,
}

impl<'a> View<'a> {
    pub(crate) fn new(record: &'a Record, scope: ElementInstanceKey) -> Self {
        Self { record, scope, over: None, scopes: usize::MAX }
    }

    /// The same, but of the variables of so many scopes, from the nearest one on.
    pub(crate) fn nearest(&self, scopes: usize) -> Self {
        Self { scopes, ..*self }
    }

    /// All variables that are seen.
    pub(crate) fn all(&self) -> Variables {
        let mut all = Variables::new();
        for scope in outward(self.record, self.scope).take(self.scopes) {
            let own = self.record.variables.get(&scope).into_iter().flatten();
            for (name, value) in own {
                if !all.contains_key(name) {
                    all.insert(name.clone(), value.clone());
                }
            }
        }
        all
    }

    /// The same, but of these values alone.
    pub(crate) fn only(self, values: &'a BTreeMap<Arc<str>, Value>) -> Self {
        Self { over: Some(values), scopes: 0, ..self }
    }

    pub(crate) fn record(&self) -> &'a Record {
        self.record
    }

    pub(crate) fn scope(&self) -> ElementInstanceKey {
        self.scope
    }

    pub(crate) fn under(mut self, over: &'a BTreeMap<Arc<str>, Value>) -> Self {
        self.over = Some(over);
        self
    }
}

impl Scope for View<'_> {
    fn get(&self, name: &str) -> Option<Value> {
        if let Some(value) = self.over.and_then(|over| over.get(name)) {
            return Some(value.clone());
        }
        outward(self.record, self.scope)
            .take(self.scopes)
            .find_map(|scope| self.record.variables.get(&scope)?.get(name))
            .map(Value::from)
    }
}

/// The scopes from `scope` to the instance itself.
fn outward(
    record: &Record,
    scope: ElementInstanceKey,
) -> impl Iterator<Item = ElementInstanceKey> + '_ {
    let root = record.instance.root_scope();
    std::iter::successors(Some(scope), move |&scope| {
        (scope != root).then(|| record.elements.get(scope).map_or(root, |e| e.scope))
    })
}

/// Puts variables that end an element's work into the scopes from `scope` outward.
pub(crate) fn give<'v>(
    record: &mut Record,
    how: CompletionVariables,
    scope: ElementInstanceKey,
    variables: impl IntoIterator<Item = (&'v Arc<str>, &'v StoredValue)>,
) {
    match how {
        CompletionVariables::Merge => merge(record, scope, variables),
        CompletionVariables::Assign => assign(record, scope, variables),
    }
}

/// From inside out, each scope that knows a name takes its value. What is left comes to the
/// instance.
///
/// DIFFERENCE: in Zeebe a scope that already has an equal value does not take it, so that the
/// name goes on outward and can come to the instance too. Models rely on neither, but clients
/// that compare variables see it.
pub(crate) fn merge<'v>(
    record: &mut Record,
    scope: ElementInstanceKey,
    variables: impl IntoIterator<Item = (&'v Arc<str>, &'v StoredValue)>,
) {
    let root = record.instance.root_scope();
    'variables: for (name, value) in variables {
        let mut scope = scope;
        while scope != root {
            let known = record.variables.get_mut(&scope).and_then(|own| own.get_mut(name));
            if let Some(known) = known
                && known != value
            {
                *known = value.clone();
                continue 'variables;
            }
            scope = record.elements.get(scope).map_or(root, |e| e.scope);
        }
        put(record, root, name, value);
    }
}

/// Each variable is set where it exists, else on the instance.
pub(crate) fn assign<'v>(
    record: &mut Record,
    scope: ElementInstanceKey,
    variables: impl IntoIterator<Item = (&'v Arc<str>, &'v StoredValue)>,
) {
    let root = record.instance.root_scope();
    for (name, value) in variables {
        let knows = |scope: &ElementInstanceKey| {
            record.variables.get(scope).is_some_and(|own| own.contains_key(name))
        };
        let owner = outward(record, scope).find(knows).unwrap_or(root);
        put(record, owner, name, value);
    }
}

/// Each variable is removed where it is found first.
pub(crate) fn remove(record: &mut Record, scope: ElementInstanceKey, names: &[Arc<str>]) {
    for name in names {
        let knows = |scope: &ElementInstanceKey| {
            record.variables.get(scope).is_some_and(|own| own.contains_key(name))
        };
        let owner = outward(record, scope).find(knows);
        let Some(owner) = owner else { continue };
        record.variables.written(owner, name, VariableEvent::Delete);
        if let Some(own) = record.variables.get_mut(&owner) {
            own.remove(name);
        }
    }
}

/// What came with an event that an element instance waited for.
pub(crate) fn take_payload(turn: &mut Turn<'_>, key: ElementInstanceKey, with: Variables) {
    if with.is_empty() {
        return;
    }
    let element = turn.model(turn.index_of(&turn.element(key).element));
    let how = turn.semantics().completion;
    crate::commands::take_over(turn, key, element, how, &Document(with));
}

/// What came with an event, as the event's own where its mappings may choose among it, else
/// already where it belongs.
pub(crate) fn payload_for_event(
    turn: &mut Turn<'_>,
    scope: ElementInstanceKey,
    with: Variables,
) -> Variables {
    match turn.semantics().completion {
        CompletionVariables::Merge => with,
        CompletionVariables::Assign => {
            if !with.is_empty() {
                assign(&mut turn.work.record, scope, &with);
                turn.note_variables();
            }
            Variables::new()
        }
    }
}

/// An event's own variables go outward where it has no output mappings.
pub(crate) fn pass_on_payload(turn: &mut Turn<'_>, key: ElementInstanceKey, element: &Element) {
    if element.outputs.is_empty()
        && let Some(payload) = turn.work.record.variables.remove(&key)
    {
        let (how, scope) = (turn.semantics().completion, turn.element(key).scope);
        give(&mut turn.work.record, how, scope, &payload);
        turn.note_variables();
    }
}

/// Sets variables of exactly this scope.
pub(crate) fn set_local<'v>(
    record: &mut Record,
    scope: ElementInstanceKey,
    variables: impl IntoIterator<Item = (&'v Arc<str>, &'v StoredValue)>,
) {
    for (name, value) in variables {
        put(record, scope, name, value);
    }
}

fn put(record: &mut Record, scope: ElementInstanceKey, name: &Arc<str>, value: &StoredValue) {
    let own = record.variables.get_or_default(scope);
    let event = match own.get_mut(name) {
        Some(known) => {
            *known = value.clone();
            VariableEvent::Update
        }
        None => {
            own.insert(name.clone(), value.clone());
            VariableEvent::Create
        }
    };
    record.variables.written(scope, name, event);
}
