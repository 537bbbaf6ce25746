//! The types that a file may name: built in, its own, and those of its imports.

use std::collections::HashMap;
use std::sync::Arc;

use roxmltree::Node;

use crate::graph::{Item, ItemIndex, Shape};
use crate::read::header::normalized;
use crate::types::Type;

/// `list<list<…>>` and `a.b.c.…` in an attribute.
const NESTING_MAX: usize = 16;

#[derive(Default)]
pub(crate) struct TypeNames {
    pub files: Vec<FileTypes>,
}

#[derive(Default)]
pub(crate) struct FileTypes {
    pub namespace: Arc<str>,
    pub items: HashMap<Arc<str>, ItemIndex>,
    /// Name of the import, and the file it brings.
    pub imports: Vec<(Arc<str>, usize)>,
}

impl TypeNames {
    /// `at` decides what a prefix means.
    pub fn resolve(
        &self,
        items: &[Item],
        file: usize,
        at: Node<'_, '_>,
        text: &str,
    ) -> Option<Type> {
        if let Some((prefix, local)) = text.split_once(':') {
            let namespace = at.lookup_namespace_uri(Some(prefix))?;
            if let Some(owner) = self.files.iter().position(|f| &*f.namespace == namespace)
                && let Some(found) = self.named(items, owner, &normalized(local), 0)
            {
                return Some(found);
            }
            return is_feel(namespace).then(|| Type::built_in(local.trim())).flatten();
        }
        self.named(items, file, &normalized(text), 0)
    }

    /// The same for a name inside an expression.
    pub fn named(&self, items: &[Item], file: usize, name: &str, depth: usize) -> Option<Type> {
        if depth > NESTING_MAX {
            return None;
        }
        let name = name.strip_prefix("feel.").unwrap_or(name);
        if let Some(built_in) = Type::built_in(name) {
            return Some(built_in);
        }
        if let Some(inner) = inside(name, "list") {
            return self.named(items, file, inner, depth + 1).map(Type::list);
        }
        if let Some(inner) = inside(name, "range") {
            return self.named(items, file, inner, depth + 1).map(|of| Type::Range(Arc::new(of)));
        }
        self.declared(items, file, name).or_else(|| {
            // Imports are not transitive: what an imported file imports stays its own.
            self.files[file].imports.iter().find_map(|(import, owner)| match &**import {
                "" => self.declared(items, *owner, name),
                import => {
                    let rest = name.strip_prefix(import)?.strip_prefix('.')?;
                    self.declared(items, *owner, rest.trim())
                }
            })
        })
    }

    fn declared(&self, items: &[Item], file: usize, name: &str) -> Option<Type> {
        match self.files[file].items.get(name) {
            Some(&index) => Some(Type::Item(index)),
            None if name.matches('.').count() <= NESTING_MAX => self.component(items, file, name),
            None => None,
        }
    }

    /// `tPerson.address`: the type of a component.
    fn component(&self, items: &[Item], file: usize, path: &str) -> Option<Type> {
        let (holder, name) = path.rsplit_once('.')?;
        let holder = match self.files[file].items.get(holder.trim()) {
            Some(&index) => index,
            None => match self.component(items, file, holder)? {
                Type::Item(index) => index,
                _ => return None,
            },
        };
        match &items.get(holder.0 as usize)?.shape {
            Shape::Components(components) => components
                .iter()
                .find(|(component, _)| **component == *name.trim())
                .map(|(_, ty)| ty.clone()),
            Shape::Of(_) | Shape::Function { .. } => None,
        }
    }
}

fn inside<'n>(name: &'n str, outer: &str) -> Option<&'n str> {
    let rest = name.strip_prefix(outer)?.trim_start().strip_prefix('<')?;
    rest.trim_end().strip_suffix('>').map(str::trim)
}

pub(crate) fn is_feel(namespace: &str) -> bool {
    let feel = namespace.trim_end_matches('/');
    feel.ends_with("/FEEL") || feel.contains("/FEEL/") || feel.eq_ignore_ascii_case("feel")
}
