//! What mappings give, whose targets may lie inside objects.
//!
//! DIFFERENCE: of Zeebe. An object is made as a whole from all that is put into it, which stands
//! together. An entry sees the others of the object that come before it by their own names, and
//! by the name of the object what it was before.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_types::Value;

type Entries = BTreeMap<Arc<str>, Value>;

/// Nothing here calls itself, as targets of any depth come from untrusted models.
#[derive(Default)]
pub(crate) struct Built {
    /// What an entry sees. When no object is open these are the results.
    seen: Entries,
    /// The objects that are being made, each inside of the one before.
    open: Vec<Open>,
}

struct Open {
    name: Arc<str>,
    /// What the entries are put into.
    base: Option<Value>,
    entries: Entries,
    /// What the entries hide as long as the object is open.
    hidden: Vec<(Arc<str>, Option<Value>)>,
}

impl Built {
    pub(crate) fn seen(&self) -> &Entries {
        &self.seen
    }

    /// The next entry lies in the object at `path`; `known` is the variable that the outermost one
    /// is put into.
    pub(crate) fn go_to(&mut self, path: &[Arc<str>], known: impl Fn(&str) -> Option<Value>) {
        let is_same = |(open, name): &(&Open, &Arc<str>)| open.name == **name;
        let shared = self.open.iter().zip(path).take_while(is_same).count();
        self.close_to(shared);
        for name in &path[shared..] {
            let base = match self.open.last() {
                None => known(name),
                Some(Open { base: Some(Value::Map(entries)), .. }) => entries.get(name).cloned(),
                Some(_) => None,
            };
            let (entries, hidden) = (Entries::new(), Vec::new());
            self.open.push(Open { name: name.clone(), base, entries, hidden });
        }
    }

    pub(crate) fn put(&mut self, name: Arc<str>, value: Value) {
        let hidden = self.seen.insert(name.clone(), value.clone());
        if let Some(object) = self.open.last_mut() {
            object.hidden.push((name.clone(), hidden));
            object.entries.insert(name, value);
        }
    }

    pub(crate) fn into_results(mut self) -> Entries {
        self.close_to(0);
        self.seen
    }

    fn close_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            let Some(object) = self.open.pop() else { return };
            for (name, hidden) in object.hidden.into_iter().rev() {
                match hidden {
                    Some(value) => self.seen.insert(name, value),
                    None => self.seen.remove(&name),
                };
            }
            self.put(object.name, merged(object.base, object.entries));
        }
    }
}

/// DIFFERENCE: Zeebe makes null of what is neither an object nor null, and so does this.
fn merged(base: Option<Value>, entries: Entries) -> Value {
    match base {
        None | Some(Value::Null) => Value::Map(Arc::new(entries)),
        Some(Value::Map(known)) => {
            let mut all = Arc::unwrap_or_clone(known);
            all.extend(entries);
            Value::Map(Arc::new(all))
        }
        Some(_) => Value::Null,
    }
}
