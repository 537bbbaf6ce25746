//! Methods and properties of the execution, the task and what is reached from them.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_types::Value;

use super::coerce::to_int;
use super::eval::Evaluator;
use super::host::{Effect, FactChange, Holder, Place, Profile};
use super::item::Item;
use super::members::{self, Member, Whose};
use crate::error::EvalError;

type Outcome = Result<Item, EvalError>;

/// One call of such a method.
#[derive(Clone, Copy)]
struct Asked<'c> {
    holder: Holder,
    method: &'c str,
    arguments: &'c [Item],
    offset: usize,
}

impl Evaluator<'_> {
    pub(super) fn exists(&self, holder: Holder) -> bool {
        self.host().is_some_and(|host| host.fact(holder, "id").is_some())
    }

    pub(super) fn holder_method(
        &mut self,
        holder: Holder,
        method: &str,
        arguments: &[Item],
        offset: usize,
    ) -> Outcome {
        let asked = Asked { holder, method, arguments, offset };
        let found = match arguments.len() {
            0 => match members::find(self.profile, holder, method) {
                Some(member) => self.known(holder, member),
                None => None,
            },
            _ => None,
        };
        if let Some(item) = found {
            return Ok(item);
        }
        let found = match holder {
            Holder::ExternalTask | Holder::Element | Holder::Definition => None,
            _ => match self.of_variables(asked)? {
                None => self.setter(asked)?,
                found => found,
            },
        };
        found.ok_or_else(|| {
            let receiver = Item::Holder(holder).describe();
            self.call(method, arguments, offset).unknown(&receiver)
        })
    }

    /// Java has a property where there is a method of its name with `get` or `is` before it.
    pub(super) fn holder_property(&self, holder: Holder, name: &str, offset: usize) -> Outcome {
        let mut letters = name.chars();
        let capital: String = letters.next().map(|c| c.to_ascii_uppercase()).into_iter().collect();
        let getters = ["get", "is"].map(|prefix| format!("{prefix}{capital}{}", letters.as_str()));
        let mut found = getters.iter().filter_map(|getter| {
            let member = members::find(self.profile, holder, getter)?;
            self.known(holder, member)
        });
        found.next().ok_or_else(|| EvalError::UnknownProperty {
            property: name.to_owned(),
            holder: holder.describe(),
            offset,
        })
    }

    fn known(&self, holder: Holder, member: Member) -> Option<Item> {
        let host = self.host()?;
        let names = |whose| match whose {
            Whose::All => host.variable_names(),
            Whose::Own => host.local_names(holder),
        };
        let value = match member {
            Member::Fact(fact) => host.fact(holder, fact)?,
            Member::Parent => return Some(self.or_null(holder.parent())),
            Member::Holder(other) => return Some(self.or_null(other)),
            Member::Null => Value::Null,
            Member::No => Value::Bool(false),
            Member::Word(word) => Value::text(word),
            Member::NoVariables => Value::Map(Arc::default()),
            Member::HasVariables(whose) => Value::Bool(!names(whose).is_empty()),
            Member::VariableNames(whose) => {
                Value::List(Arc::new(names(whose).into_iter().map(Value::Text).collect()))
            }
            Member::Variables(whose) => {
                let mut entries = BTreeMap::new();
                for name in names(whose) {
                    let value = match whose {
                        Whose::All => self.seen_from(holder, &name),
                        Whose::Own => self.own(holder, &name),
                    };
                    entries.insert(name, value.unwrap_or_default());
                }
                Value::Map(Arc::new(entries))
            }
        };
        Some(Item::Value(value))
    }

    fn or_null(&self, holder: Holder) -> Item {
        match self.exists(holder) {
            true => Item::Holder(holder),
            false => Item::Value(Value::Null),
        }
    }

    /// Reads and changes variables. `None`: there is no such method.
    fn of_variables(&mut self, asked: Asked<'_>) -> Result<Option<Item>, EvalError> {
        let Asked { holder, method, arguments, offset } = asked;
        let (camunda, count) = (self.profile == Profile::Camunda, arguments.len());
        let nothing = Ok(Some(Item::Value(Value::Null)));
        let place = match method.ends_with("Local") {
            true => Place::Local(holder),
            false => Place::Nearest(holder),
        };
        let is_local = matches!(place, Place::Local(_));
        match (method, count) {
            ("setVariables" | "setVariablesLocal", 1) => {
                let Value::Map(entries) = self.argument(asked, 0)? else { return Ok(None) };
                for (name, value) in entries.iter() {
                    self.set(place.clone(), name.clone(), value.clone());
                }
                return nothing;
            }
            ("removeVariables" | "removeVariablesLocal", 0) => {
                let names = self.host().map(|host| host.local_names(holder)).unwrap_or_default();
                for name in names {
                    self.remove(Place::Local(holder), name);
                }
                return nothing;
            }
            ("removeVariables" | "removeVariablesLocal", 1) => {
                // Nothing is removed of nothing.
                if let Value::List(names) = self.argument(asked, 0)? {
                    for name in names.iter() {
                        let name = self.java_text(name, offset)?;
                        self.remove(place.clone(), name.into());
                    }
                }
                return nothing;
            }
            _ => {}
        }
        let transient = !camunda && method.contains("Transient");
        let known = match (method, count) {
            ("getVariable" | "getVariableLocal", 1..=2) => true,
            ("hasVariable" | "hasVariableLocal", 1) => true,
            ("removeVariable" | "removeVariableLocal", 1) => true,
            ("setVariable" | "setVariableLocal", 2..=3) => true,
            ("getVariableTyped" | "getVariableLocalTyped", 1..=2) => camunda,
            ("getVariableInstance" | "getVariableInstanceLocal", 1) => true,
            ("getTransientVariable" | "getTransientVariableLocal", 1) => transient,
            ("removeTransientVariable" | "removeTransientVariableLocal", 1) => transient,
            ("setTransientVariable" | "setTransientVariableLocal", 2) => transient,
            _ => false,
        };
        if !known {
            return Ok(None);
        }
        let name = match self.argument(asked, 0)? {
            Value::Null => Arc::default(),
            _ => self.call(method, arguments, offset).text(0)?,
        };
        let passing = match is_local {
            true => Place::TransientLocal,
            false => Place::Transient,
        };
        let is_own = is_local || method == "getVariableLocalTyped";
        let value = match is_own {
            true => self.own(holder, &name),
            false => self.seen_from(holder, &name),
        };
        Ok(Some(Item::Value(match method {
            "getVariable"
            | "getVariableLocal"
            | "getTransientVariable"
            | "getTransientVariableLocal" => value.unwrap_or_default(),
            "hasVariable" | "hasVariableLocal" => Value::Bool(value.is_some()),
            "setVariable" | "setVariableLocal" => {
                let place = match (camunda && !is_local, self.argument(asked, 2)?) {
                    (true, Value::Text(element)) => Place::Element(element),
                    _ => place,
                };
                let value = self.argument(asked, 1)?;
                self.set(place, name, value);
                Value::Null
            }
            "setTransientVariable" | "setTransientVariableLocal" => {
                let value = self.argument(asked, 1)?;
                self.set(passing, name, value);
                Value::Null
            }
            "removeVariable" | "removeVariableLocal" => {
                self.remove(place, name);
                Value::Null
            }
            "removeTransientVariable" | "removeTransientVariableLocal" => {
                self.remove(passing, name);
                Value::Null
            }
            _ => match value {
                Some(value) => return Ok(Some(Item::Variable(name, value))),
                None => Value::Null,
            },
        })))
    }

    fn set(&mut self, place: Place, name: Arc<str>, value: Value) {
        self.effects.push(Effect::SetVariable { place, name, value });
    }

    fn remove(&mut self, place: Place, name: Arc<str>) {
        self.effects.push(Effect::RemoveVariable { place, name });
    }

    /// Changes the execution or the task itself. `None`: there is no such method.
    fn setter(&mut self, asked: Asked<'_>) -> Result<Option<Item>, EvalError> {
        let Asked { holder, method, arguments, .. } = asked;
        let camunda = self.profile == Profile::Camunda;
        let is_execution =
            matches!(holder, Holder::Execution | Holder::Ancestor(_) | Holder::Instance);
        let mut all = Vec::new();
        let change = match (method, arguments.len()) {
            ("setProcessBusinessKey" | "setBusinessKey", 1) if is_execution && camunda => {
                FactChange::BusinessKey(self.text_or_null(asked, 0)?)
            }
            _ if holder != Holder::Task => return Ok(None),
            ("complete", 0) if camunda => FactChange::Completed,
            ("setName", 1) => FactChange::Name(self.text_or_null(asked, 0)?),
            ("setDescription", 1) => FactChange::Description(self.text_or_null(asked, 0)?),
            ("setAssignee", 1) => FactChange::Assignee(self.text_or_null(asked, 0)?),
            ("setOwner", 1) => FactChange::Owner(self.text_or_null(asked, 0)?),
            ("setCategory", 1) if !camunda => FactChange::Category(self.text_or_null(asked, 0)?),
            ("setFormKey", 1) if !camunda => FactChange::FormKey(self.text_or_null(asked, 0)?),
            ("setPriority", 1) => {
                FactChange::Priority(to_int(&self.argument(asked, 0)?, asked.offset)?)
            }
            ("setDueDate", 1) => match FactChange::date(&self.argument(asked, 0)?) {
                Some(date) => FactChange::DueDate(date),
                None => return Ok(None),
            },
            ("setFollowUpDate", 1) if camunda => {
                match FactChange::date(&self.argument(asked, 0)?) {
                    Some(date) => FactChange::FollowUpDate(date),
                    None => return Ok(None),
                }
            }
            ("addCandidateUsers" | "addCandidateGroups", 1) => {
                let Value::List(names) = self.argument(asked, 0)? else { return Ok(None) };
                for name in names.iter() {
                    let name = self.java_text(name, asked.offset)?.into();
                    all.push(match method {
                        "addCandidateUsers" => FactChange::AddCandidateUser(name),
                        _ => FactChange::AddCandidateGroup(name),
                    });
                }
                return self.change_facts(holder, all);
            }
            (
                "addCandidateUser"
                | "addCandidateGroup"
                | "deleteCandidateUser"
                | "deleteCandidateGroup",
                1,
            ) => {
                let Some(name) = self.text_or_null(asked, 0)? else {
                    return self.change_facts(holder, all);
                };
                match method {
                    "addCandidateUser" => FactChange::AddCandidateUser(name),
                    "addCandidateGroup" => FactChange::AddCandidateGroup(name),
                    "deleteCandidateUser" => FactChange::DeleteCandidateUser(name),
                    _ => FactChange::DeleteCandidateGroup(name),
                }
            }
            _ => return Ok(None),
        };
        all.push(change);
        self.change_facts(holder, all)
    }

    fn change_facts(
        &mut self,
        holder: Holder,
        changes: Vec<FactChange>,
    ) -> Result<Option<Item>, EvalError> {
        let effects = changes.into_iter().map(|change| Effect::SetFact { holder, change });
        self.effects.extend(effects);
        Ok(Some(Item::Value(Value::Null)))
    }

    fn argument(&mut self, asked: Asked<'_>, at: usize) -> Result<Value, EvalError> {
        self.call(asked.method, asked.arguments, asked.offset).value(at)
    }

    /// A `String` that may be null, where an empty one says the same.
    fn text_or_null(&mut self, asked: Asked<'_>, at: usize) -> Result<Option<Arc<str>>, EvalError> {
        match self.argument(asked, at)? {
            Value::Null => Ok(None),
            value => {
                let text = self.java_text(&value, asked.offset)?;
                Ok((!text.is_empty()).then(|| text.into()))
            }
        }
    }

    /// A variable as it is by now, seen from a holder.
    fn seen_from(&self, holder: Holder, name: &str) -> Option<Value> {
        match holder {
            Holder::Execution | Holder::Task | Holder::ExternalTask => self.variable(name),
            _ => self
                .changed(name, |_| true)
                .unwrap_or_else(|| self.host().and_then(|host| host.variable_from(holder, name))),
        }
    }

    /// A variable of the holder's own.
    fn own(&self, holder: Holder, name: &str) -> Option<Value> {
        let is_own = |place: &Place| *place == Place::Local(holder);
        self.changed(name, is_own)
            .unwrap_or_else(|| self.host().and_then(|host| host.local_variable(holder, name)))
    }

    /// What the expression itself has made of a variable at such a place: set, or removed.
    fn changed(&self, name: &str, is_there: impl Fn(&Place) -> bool) -> Option<Option<Value>> {
        self.effects.iter().rev().find_map(|effect| match effect {
            Effect::SetVariable { place, name: set, value }
                if **set == *name && is_there(place) =>
            {
                Some(Some(value.clone()))
            }
            Effect::RemoveVariable { place, name: removed }
                if **removed == *name && is_there(place) =>
            {
                Some(None)
            }
            _ => None,
        })
    }
}

impl Holder {
    /// The execution around it.
    fn parent(self) -> Self {
        match self {
            Self::Ancestor(steps) => Self::Ancestor(steps.saturating_add(1)),
            // Nothing is around the whole.
            Self::Instance => Self::Ancestor(u32::MAX),
            _ => Self::Ancestor(1),
        }
    }

    /// For messages.
    pub(super) fn describe(self) -> &'static str {
        match self {
            Self::Execution => "execution",
            Self::Task => "task",
            Self::ExternalTask => "external task",
            Self::Ancestor(_) => "execution around the execution",
            Self::Instance => "execution of the process instance",
            Self::Caller => "execution that called",
            Self::Element => "element",
            Self::Definition => "process definition",
        }
    }
}

/// What can be asked of a variable besides its value.
pub(super) fn of_variable(name: &Arc<str>, value: &Value, property: &str) -> Option<Value> {
    Some(match property {
        "value" => value.clone(),
        "name" => Value::Text(name.clone()),
        "typeName" => Value::text(match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Int(_) => "integer",
            Value::Double(_) | Value::Decimal(_) => "double",
            Value::Text(_) => "string",
            Value::Temporal(_) => "date",
            _ => "object",
        }),
        "textValue" => match value {
            Value::Text(text) => Value::Text(text.clone()),
            _ => Value::Null,
        },
        _ => return None,
    })
}

/// `Name` of `getName`.
pub(super) fn uncapitalized(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|c| c.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}
