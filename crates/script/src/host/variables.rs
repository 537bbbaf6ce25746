use std::collections::{BTreeMap, BTreeSet};

use rquickjs::{Ctx, Object, Persistent, Value};

use crate::protocol::WireScope;

pub(super) type Kept = Persistent<Value<'static>>;
pub(super) type View = BTreeMap<String, Kept>;

/// The variables as a script sees them: what was there, under what it wrote.
#[derive(Default)]
pub(super) struct Variables {
    nearest: View,
    /// Read when a script asks for one of them; most do not.
    scopes: Option<Scopes>,
    /// What came before that.
    writes: Vec<(WireScope, String, Option<Kept>)>,
    /// Told already.
    touched: BTreeSet<String>,
    /// The global names before the script, where those it makes are stored.
    globals: Option<View>,
}

#[derive(Default)]
struct Scopes {
    local: View,
    instance: View,
    parent: View,
    parent_local: View,
}

impl Variables {
    pub(super) fn show(&mut self, nearest: View) {
        self.nearest = nearest;
    }

    pub(super) fn keep_globals(&mut self, ctx: &Ctx<'_>) -> rquickjs::Result<()> {
        let mut kept = View::new();
        for entry in ctx.globals().props::<String, Value<'_>>() {
            let (name, value) = entry?;
            kept.insert(name, Persistent::save(ctx, value));
        }
        self.globals = Some(kept);
        Ok(())
    }

    pub(super) fn take_globals(&mut self) -> Option<View> {
        self.globals.take()
    }

    pub(super) fn is_touched(&self, name: &str) -> bool {
        self.touched.contains(name)
    }

    /// Whether [`load`](Self::load) comes first.
    pub(super) fn needs_loading(&self, scope: &WireScope) -> bool {
        use WireScope::*;
        self.scopes.is_none() && matches!(scope, Local | Instance | Parent | ParentLocal)
    }

    pub(super) fn load(&mut self, [local, instance, parent, parent_local]: [View; 4]) {
        self.scopes = Some(Scopes { local, instance, parent, parent_local });
        for (scope, name, value) in std::mem::take(&mut self.writes) {
            self.write_scoped(&scope, &name, value);
        }
    }

    pub(super) fn view(&self, scope: &WireScope) -> &View {
        let Some(scopes) = &self.scopes else { return &self.nearest };
        match scope {
            WireScope::Local => &scopes.local,
            WireScope::Instance => &scopes.instance,
            WireScope::Parent => &scopes.parent,
            WireScope::ParentLocal => &scopes.parent_local,
            WireScope::Nearest
            | WireScope::Transient
            | WireScope::TransientLocal
            | WireScope::Element(_) => &self.nearest,
        }
    }

    /// `None` removes.
    pub(super) fn write(&mut self, scope: &WireScope, name: &str, value: Option<Kept>) {
        self.touched.insert(name.to_owned());
        match &value {
            Some(value) => {
                self.nearest.insert(name.to_owned(), value.clone());
            }
            None if matches!(scope, WireScope::Nearest | WireScope::Local) => {
                self.nearest.remove(name);
            }
            None => {}
        }
        if self.scopes.is_some() {
            self.write_scoped(scope, name, value);
        } else {
            self.writes.push((scope.clone(), name.to_owned(), value));
        }
    }

    fn write_scoped(&mut self, scope: &WireScope, name: &str, value: Option<Kept>) {
        let Some(scopes) = &mut self.scopes else { return };
        let view = match scope {
            WireScope::Local => &mut scopes.local,
            WireScope::Instance => &mut scopes.instance,
            WireScope::Parent => &mut scopes.parent,
            WireScope::ParentLocal => &mut scopes.parent_local,
            WireScope::Nearest if scopes.local.contains_key(name) => &mut scopes.local,
            WireScope::Nearest => &mut scopes.instance,
            WireScope::Transient | WireScope::TransientLocal | WireScope::Element(_) => return,
        };
        match value {
            Some(value) => view.insert(name.to_owned(), value),
            None => view.remove(name),
        };
    }

    /// Lists and maps that the script had, and may have changed in place.
    pub(super) fn untouched_objects<'js>(
        &self,
        ctx: &Ctx<'js>,
    ) -> rquickjs::Result<Vec<(String, Value<'js>)>> {
        let mut found = Vec::new();
        for (name, kept) in &self.nearest {
            let value = kept.clone().restore(ctx)?;
            if value.is_object() && !self.is_touched(name) {
                found.push((name.clone(), value));
            }
        }
        Ok(found)
    }
}

/// The own entries of an object that JSON gave.
pub(super) fn entries<'js>(
    ctx: &Ctx<'js>,
    object: &Object<'js>,
    mut dress: impl FnMut(&Value<'js>) -> rquickjs::Result<()>,
) -> rquickjs::Result<View> {
    let mut view = View::new();
    for entry in object.props::<String, Value<'js>>() {
        let (name, value) = entry?;
        if value.is_object() {
            dress(&value)?;
        }
        view.insert(name, Persistent::save(ctx, value));
    }
    Ok(view)
}
