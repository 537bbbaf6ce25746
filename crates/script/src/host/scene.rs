//! What one script sees and leaves behind. Kept on this side: a script changes its own world as it
//! likes, and nothing of what is told to the parent is read from there.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use rquickjs::object::Property;
use rquickjs::{Ctx, Function, Object, Persistent, Value};

use crate::config::Limits;
use crate::protocol::{EffectKind, ProblemKind, Sight, WireEffect, WireScope};
use crate::wire_value::WireValue;

use super::to_wire::{Refused, ToWire};
use super::variables::Variables;

/// What an effect takes besides its name and its value.
const EFFECT_BYTES: usize = 32;

#[derive(Default)]
pub(super) struct Scene {
    sight: OnceCell<Sight>,
    limits: Cell<Limits>,
    /// Where random numbers are.
    chance: Cell<u32>,
    pub(super) found: RefCell<Found>,
    pub(super) variables: RefCell<Variables>,
    pub(super) held: RefCell<Held>,
    /// Names whose value is made when it is touched, and was not yet.
    pub(super) pending: RefCell<BTreeSet<&'static str>>,
}

/// What the script wants done and said.
#[derive(Default)]
pub(super) struct Found {
    pub(super) effects: Vec<WireEffect>,
    effect_bytes: usize,
    pub(super) printed: Vec<String>,
    printed_bytes: u64,
    pub(super) printed_lost: usize,
    pub(super) refused: Option<ProblemKind>,
}

/// Objects of the engine that are needed later, as they were before a script could change them.
#[derive(Default)]
pub(super) struct Held {
    pub(super) has_own: Option<Persistent<Function<'static>>>,
    /// Makes a text of one with halves of characters in it.
    pub(super) well_formed: Option<Persistent<Function<'static>>>,
    pub(super) real_date: Option<Persistent<Object<'static>>>,
    /// The one that scripts have, once they touched it.
    pub(super) date: Option<Persistent<Object<'static>>>,
    pub(super) bpmn_error: Option<Persistent<Object<'static>>>,
    pub(super) list: Option<Persistent<Object<'static>>>,
    pub(super) set: Option<Persistent<Object<'static>>>,
    pub(super) map: Option<Persistent<Object<'static>>>,
}

impl Scene {
    pub(super) fn begin(&self, sight: Sight, limits: Limits) {
        self.chance.set((sight.seed & 0xffff_ffff) as u32);
        self.limits.set(limits);
        // An engine serves once.
        let _first = self.sight.set(sight);
    }

    pub(super) fn sight(&self) -> &Sight {
        self.sight.get_or_init(Sight::default)
    }

    pub(super) fn answer_bytes(&self) -> usize {
        usize::try_from(self.limits.get().answer_bytes).unwrap_or(usize::MAX)
    }

    /// Functions of the engine keep the scene, and the scene keeps objects of the engine: whoever
    /// is done with both lets go here.
    pub(super) fn let_go(&self) {
        self.held.take();
        self.variables.take();
    }

    /// Mulberry32.
    pub(super) fn random(&self) -> f64 {
        let chance = self.chance.get().wrapping_add(0x6d2b_79f5);
        self.chance.set(chance);
        let mut t = (chance ^ (chance >> 15)).wrapping_mul(chance | 1);
        t ^= t.wrapping_add((t ^ (t >> 7)).wrapping_mul(t | 61));
        f64::from(t ^ (t >> 14)) / 4_294_967_296.0
    }

    pub(super) fn print(&self, text: String) {
        let mut found = self.found.borrow_mut();
        let size = text.len() as u64 + 1;
        if found.printed_bytes + size > self.limits.get().printed_bytes {
            found.printed_lost += 1;
        } else {
            found.printed_bytes += size;
            found.printed.push(text);
        }
    }

    /// Written down at once, as the value is now.
    pub(super) fn emit<'js>(
        &self,
        ctx: &Ctx<'js>,
        kind: EffectKind,
        scope: WireScope,
        name: &str,
        value: &Value<'js>,
    ) -> rquickjs::Result<()> {
        let sight = self.sight();
        // Whatever the script did to its world: what it may not see it cannot write.
        let may_write = sight.execution || sight.task || sight.auto_store;
        if !may_write && kind != EffectKind::Changed {
            return Ok(());
        }
        let used = self.found.borrow().effect_bytes + name.len() + EFFECT_BYTES;
        let left = self.answer_bytes().saturating_sub(used);
        let mut writer = self.writer(ctx, left)?;
        // Getters of the script run here, and may emit themselves.
        let written = writer.value(ctx, value, 0);
        let mut found = self.found.borrow_mut();
        match written {
            Ok(value) => {
                found.effect_bytes += name.len() + EFFECT_BYTES + (left - writer.bytes_left);
                found.effects.push(WireEffect { kind, scope, name: name.to_owned(), value });
                Ok(())
            }
            Err(Refused::Thrown) => Err(rquickjs::Error::Exception),
            Err(other) => {
                found.refused = Some(other.kind());
                drop(found);
                Err(rquickjs::Exception::throw_message(ctx, "the value cannot be given back"))
            }
        }
    }

    pub(super) fn writer<'js>(
        &self,
        ctx: &Ctx<'js>,
        bytes_left: usize,
    ) -> rquickjs::Result<ToWire<'js, '_>> {
        let date = self.held.borrow().date.clone();
        let date = date.map(|date| date.restore(ctx)).transpose()?;
        let well_formed = self.held.borrow().well_formed.clone();
        let well_formed = well_formed.map(|function| function.restore(ctx)).transpose()?;
        let open = Vec::new();
        Ok(ToWire { date, well_formed, bytes_left, open, given: self.sight().variables.as_str() })
    }

    pub(super) fn set<'js>(
        &self,
        ctx: &Ctx<'js>,
        scope: WireScope,
        name: &str,
        value: Value<'js>,
    ) -> rquickjs::Result<()> {
        self.emit(ctx, EffectKind::Set, scope.clone(), name, &value)?;
        self.variables.borrow_mut().write(&scope, name, Some(Persistent::save(ctx, value.clone())));
        self.define_variable(ctx, name, value)
    }

    pub(super) fn remove(
        &self,
        ctx: &Ctx<'_>,
        scope: WireScope,
        name: &str,
    ) -> rquickjs::Result<()> {
        let null = Value::new_null(ctx.clone());
        self.emit(ctx, EffectKind::Remove, scope.clone(), name, &null)?;
        self.variables.borrow_mut().write(&scope, name, None);
        if matches!(scope, WireScope::Nearest | WireScope::Local) {
            ctx.globals().remove(name)?;
        }
        Ok(())
    }

    /// A variable is a global name.
    pub(super) fn define_variable<'js>(
        &self,
        ctx: &Ctx<'js>,
        name: &str,
        value: Value<'js>,
    ) -> rquickjs::Result<()> {
        if name == "execution" || (name == "task" && self.sight().task) {
            return Ok(());
        }
        self.pending.borrow_mut().remove(name);
        let property = Property::from(value).writable().enumerable().configurable();
        // `undefined`, `NaN` and `Infinity` stay what they are.
        if ctx.globals().prop(name, property).is_err() {
            ctx.catch();
        }
        Ok(())
    }

    /// What the script left behind without saying so.
    pub(super) fn finish(&self, ctx: &Ctx<'_>) -> rquickjs::Result<()> {
        let untouched = self.variables.borrow().untouched_objects(ctx)?;
        if !untouched.is_empty() {
            let before: Object<'_> = ctx.json_parse(self.sight().variables.as_str())?.get()?;
            for (name, value) in untouched {
                let old: Value<'_> = before.get(name.as_str())?;
                if self.has_changed(ctx, &old, &value)? {
                    self.emit(ctx, EffectKind::Changed, WireScope::Nearest, &name, &value)?;
                }
            }
        }
        let Some(before) = self.variables.borrow_mut().take_globals() else { return Ok(()) };
        for entry in ctx.globals().props::<String, Value<'_>>() {
            let (name, value) = entry?;
            if value.is_function() || self.variables.borrow().is_touched(&name) {
                continue;
            }
            let old = before.get(&name).cloned().map(|old| old.restore(ctx)).transpose()?;
            if old.is_none_or(|old| !super::collections::is_same(&old, &value)) {
                self.emit(ctx, EffectKind::Set, WireScope::Nearest, &name, &value)?;
            }
        }
        Ok(())
    }

    fn has_changed<'js>(
        &self,
        ctx: &Ctx<'js>,
        old: &Value<'js>,
        value: &Value<'js>,
    ) -> rquickjs::Result<bool> {
        let mut writer = self.writer(ctx, usize::MAX)?;
        let old: WireValue = match writer.value(ctx, old, 0) {
            Ok(old) => old,
            Err(Refused::Thrown) => return Err(rquickjs::Error::Exception),
            // Deeper than what is given back: it cannot be told, changed or not.
            Err(_) => return Ok(false),
        };
        // One that outgrew both is refused when it is told.
        writer.bytes_left = self.answer_bytes().max(usize::MAX - writer.bytes_left);
        match writer.value(ctx, value, 0) {
            Ok(value) => Ok(value != old),
            Err(Refused::Thrown) => Err(rquickjs::Error::Exception),
            Err(_) => Ok(true),
        }
    }
}

/// Shared by the functions that a script is given.
pub(super) type Shared = Rc<Scene>;
