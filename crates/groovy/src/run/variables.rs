//! Names: locals, what the script assigned, and the variables of the process.

use std::sync::Arc;

use orloj_types::Value;

use crate::ast::Name;
use crate::host::{Effect, VariableScope};
use crate::value::{Reach, Val};

use super::machine::{Machine, Thrown};

/// An effect whose value may still be changed in place by the script.
pub(crate) enum Pending {
    Set(VariableScope, Arc<str>, Val),
    Remove(VariableScope, Arc<str>),
    SetFact(Arc<str>, Val),
}

/// A variable is kept by its name, for those who read it, and as what is to be done.
const SET_STEPS: usize = 20;

impl Machine<'_> {
    pub(crate) fn read_name(&mut self, name: &Name, at: u32) -> Thrown<Val> {
        if let Some(local) = self.local(name) {
            return Ok(local.value.clone());
        }
        if let Some(value) = self.bindings.get(name) {
            return Ok(value.clone());
        }
        match &**name {
            "execution" => return Ok(Val::Execution(Reach::Own)),
            "task" if self.host.has_task() => return Ok(Val::Task),
            "out" => return Ok(Val::Out),
            _ => {}
        }
        if let Some(value) = self.named(name, at)? {
            return Ok(value);
        }
        if let Some(delegate) = self.delegate() {
            return self.get_property(&delegate, name, at);
        }
        let message = format!("No such property: {name} for class: Script");
        Err(self.throw("groovy.lang.MissingPropertyException", message, at))
    }

    pub(crate) fn write_name(&mut self, name: &Name, value: Val, at: u32) -> Thrown<Val> {
        if let Some(ty) = self.local(name).map(|local| local.ty) {
            let value = self.fit(value, ty, at)?;
            if let Some(local) = self.local(name) {
                local.value = value.clone();
            }
            return Ok(value);
        }
        self.bytes(64 + name.len(), at)?;
        if self.options.auto_store {
            self.set_variable(VariableScope::Nearest, name, value.clone(), at)?;
        }
        if !self.options.auto_store || self.host.inputs().is_some() {
            // DIFFERENCE to what many models hope for: neither engine writes a variable then.
            self.bindings.insert(name.clone(), value.clone());
        }
        Ok(value)
    }

    /// What a name stands for that the script has not set.
    fn named(&mut self, name: &Name, at: u32) -> Thrown<Option<Val>> {
        let Some(inputs) = self.host.inputs() else {
            return self.variable(&VariableScope::Nearest, name, at);
        };
        let Some(value) = inputs.get(name).map(Value::from) else { return Ok(None) };
        let held = self.import_value(&value, at)?;
        self.bindings.insert(name.clone(), held.clone());
        Ok(Some(held))
    }

    /// A variable as the script sees it by now.
    pub(crate) fn variable(
        &mut self,
        scope: &VariableScope,
        name: &str,
        at: u32,
    ) -> Thrown<Option<Val>> {
        let key = (tag(scope), Name::from(name));
        if let Some(seen) = self.seen.get(&key) {
            return Ok(seen.clone());
        }
        let Some(value) = self.host.variable(scope, name) else { return Ok(None) };
        let held = self.import_value(&value, at)?;
        if matches!(value, Value::List(_) | Value::Map(_)) {
            self.origins.insert(key.clone(), value);
        }
        self.seen.insert(key, Some(held.clone()));
        Ok(Some(held))
    }

    pub(crate) fn set_variable(
        &mut self,
        scope: VariableScope,
        name: &str,
        value: Val,
        at: u32,
    ) -> Thrown<()> {
        let (scope, value) = match value {
            Val::Transient(value) => {
                let scope = match scope {
                    VariableScope::Local => VariableScope::TransientLocal,
                    _ => VariableScope::Transient,
                };
                (scope, (*value).clone())
            }
            value => (scope, value),
        };
        self.steps(SET_STEPS, at)?;
        self.bytes(64 + name.len(), at)?;
        self.see(&scope, name, Some(&value));
        self.effects.push(Pending::Set(scope, name.into(), value));
        Ok(())
    }

    pub(crate) fn remove_variable(
        &mut self,
        scope: VariableScope,
        name: &str,
        at: u32,
    ) -> Thrown<()> {
        self.bytes(64 + name.len(), at)?;
        self.see(&scope, name, None);
        self.effects.push(Pending::Remove(scope, name.into()));
        Ok(())
    }

    /// What the other views of the same variable show after a change.
    fn see(&mut self, scope: &VariableScope, name: &str, value: Option<&Val>) {
        let is_local = self.host.variable(&VariableScope::Local, name).is_some();
        let also: &[VariableScope] = match scope {
            VariableScope::Nearest if is_local => &[VariableScope::Local],
            VariableScope::Nearest => &[VariableScope::Instance],
            VariableScope::Local | VariableScope::Transient | VariableScope::TransientLocal => {
                &[VariableScope::Nearest]
            }
            _ if !is_local => &[VariableScope::Nearest],
            _ => &[],
        };
        for scope in std::iter::once(scope).chain(also) {
            let key = (tag(scope), Name::from(name));
            self.origins.remove(&key);
            self.seen.insert(key, value.cloned());
        }
    }

    pub(crate) fn variable_names(&mut self, scope: &VariableScope, at: u32) -> Thrown<Vec<Name>> {
        let mut names = self.host.names(scope);
        let wanted = tag(scope);
        for ((tag, name), value) in &self.seen {
            if *tag == wanted && value.is_some() && !names.contains(name) {
                names.push(name.clone());
            }
        }
        names.retain(|name| !matches!(self.seen.get(&(wanted, name.clone())), Some(None)));
        self.slots(names.len(), at)?;
        Ok(names)
    }

    /// Effects with the values that they have at the end: what was stored and changed afterwards
    /// is stored as changed.
    pub(crate) fn settle(&mut self) -> Thrown<Vec<Effect>> {
        let mut effects = Vec::with_capacity(self.effects.len());
        for pending in std::mem::take(&mut self.effects) {
            effects.push(match pending {
                Pending::Set(scope, name, value) => {
                    Effect::Set { scope, name, value: self.export_value(&value, 0)? }
                }
                Pending::Remove(scope, name) => Effect::Remove { scope, name },
                Pending::SetFact(name, value) => {
                    Effect::SetFact { name, value: self.export_value(&value, 0)? }
                }
            });
        }
        for (key, origin) in std::mem::take(&mut self.origins) {
            let Some(Some(held)) = self.seen.get(&key).cloned() else { continue };
            let value = self.export_value(&held, 0)?;
            if value.to_json() != origin.to_json() {
                effects.push(Effect::Changed { name: key.1, value });
            }
        }
        Ok(effects)
    }
}

fn tag(scope: &VariableScope) -> u8 {
    match scope {
        VariableScope::Nearest => 0,
        VariableScope::Local => 1,
        VariableScope::Instance => 2,
        VariableScope::Parent => 3,
        VariableScope::ParentLocal => 4,
        VariableScope::Element(_) => 5,
        VariableScope::Transient => 6,
        VariableScope::TransientLocal => 7,
    }
}
