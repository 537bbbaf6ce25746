//! What a command did to variables, found by comparing the record before and after. History keeps
//! it only where somebody wants to read it, so nothing is noted while the command runs.

use std::sync::Arc;

use orloj_types::{ElementInstanceKey, StoredValue, Variables};

use crate::scopes::Scopes;

#[derive(Clone, Debug, PartialEq)]
pub struct VariableChange {
    pub scope: ElementInstanceKey,
    pub name: Arc<str>,
    /// `None`: it is new.
    pub before: Option<StoredValue>,
    /// `None`: it was taken away, its scope lives on.
    pub after: Option<StoredValue>,
}

/// In the order of scopes and names. Variables that ended with their scope are none of them: their
/// last value is the one they had.
pub fn variable_changes(before: &Scopes, after: &Scopes) -> Vec<VariableChange> {
    let nothing = Variables::new();
    let mut changes = Vec::new();
    for (scope, now) in after.maybe_changed(before) {
        let was = before.get(&scope).unwrap_or(&nothing);
        if was == now {
            continue;
        }
        for (name, value) in now {
            let known = was.get(name);
            if known != Some(value) {
                let (before, after) = (known.cloned(), Some(value.clone()));
                changes.push(VariableChange { scope, name: name.clone(), before, after });
            }
        }
        for (name, value) in was.iter().filter(|(name, _)| !now.contains_key(*name)) {
            let before = Some(value.clone());
            changes.push(VariableChange { scope, name: name.clone(), before, after: None });
        }
    }
    changes
}

/// The scopes that have ended, with the last values of their variables.
pub fn ended_scopes<'a>(
    before: &'a Scopes,
    after: &'a Scopes,
) -> impl Iterator<Item = (ElementInstanceKey, &'a Variables)> {
    after.maybe_gone(before).filter(|(scope, _)| after.get(scope).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::document;

    #[test]
    fn new_changed_and_removed_ones_are_told() {
        let key = ElementInstanceKey::new;
        let scopes = |list: &[(i64, &str)]| {
            let mut scopes = Scopes::new();
            for (scope, json) in list {
                scopes.insert(key(*scope), document(json).0);
            }
            scopes
        };
        let before = scopes(&[(1, r#"{"a":1,"b":2,"c":3}"#), (2, r#"{"gone":1}"#)]);
        let after = scopes(&[(1, r#"{"a":1,"b":5,"d":4}"#), (3, r#"{"new":1}"#)]);
        let told: Vec<String> = variable_changes(&before, &after)
            .iter()
            .map(|c| {
                let shown = |value: &Option<StoredValue>| {
                    value
                        .as_ref()
                        .map_or("-".to_owned(), |value| orloj_types::Value::from(value).to_json())
                };
                format!("{} {} {} {}", c.scope, c.name, shown(&c.before), shown(&c.after))
            })
            .collect();
        assert_eq!(told, ["1 b 2 5", "1 d - 4", "1 c 3 -", "3 new - 1"]);
        assert!(variable_changes(&after, &after.clone()).is_empty());
        let ended: Vec<_> = ended_scopes(&before, &after).map(|(scope, _)| scope.raw()).collect();
        assert_eq!(ended, [2]);
    }
}
