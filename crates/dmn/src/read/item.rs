//! Item definitions: the types that models declare.

use std::sync::Arc;

use orloj_xml::quoted;
use roxmltree::Node;

use crate::diagnostic::{Problems, Severity};
use crate::feel::Names;
use crate::graph::{Item, ItemIndex, Shape};
use crate::options::Mode;
use crate::read::boxed::Reader;
use crate::read::header::{Header, normalized};
use crate::read::source::{child, children_named};
use crate::read::table::order;
use crate::read::type_names::TypeNames;
use crate::read::written::{Written, attribute, content};
use crate::types::Type;

/// All item definitions of all files. `types` must already know the imports; it learns the names.
pub(crate) fn read_items(
    headers: &[Header<'_>],
    types: &mut TypeNames,
    (mode, lenient): (Mode, bool),
    diagnostics: &mut Problems,
) -> Vec<Item> {
    let mut items = Vec::new();
    for (file, header) in headers.iter().enumerate() {
        for node in &header.items {
            let name = normalized(node.attribute("name").unwrap_or_default());
            let index = push(&mut items, &name, file);
            types.files[file].items.insert(name, index);
        }
    }
    let mut at = 0;
    let mut pending = Vec::new();
    for (file, header) in headers.iter().enumerate() {
        for &node in &header.items {
            let mut shapes = Shapes { items: &mut items, types, file, pending: &mut pending };
            shapes.read(ItemIndex(at), node);
            at += 1;
        }
    }
    resolve_pending(headers, types, &mut items, pending, (mode, lenient), diagnostics);
    report_cycles(headers, &items, diagnostics);
    items
}

fn push(items: &mut Vec<Item>, name: &Arc<str>, file: usize) -> ItemIndex {
    let index = ItemIndex(u32::try_from(items.len()).expect("the gate limits the elements"));
    items.push(Item {
        name: name.clone(),
        file,
        is_collection: false,
        shape: Shape::Of(Type::Any),
        allowed: None,
        order: None,
        constraint: None,
    });
    index
}

/// What can be read only when all shapes are known.
struct Pending<'a> {
    item: ItemIndex,
    node: Node<'a, 'a>,
    part: Part<'a>,
}

enum Part<'a> {
    Type(Written<'a>),
    Function,
    Tests,
}

struct Shapes<'a, 'r> {
    items: &'r mut Vec<Item>,
    types: &'r TypeNames,
    file: usize,
    pending: &'r mut Vec<Pending<'a>>,
}

impl<'a> Shapes<'a, '_> {
    fn read(&mut self, index: ItemIndex, node: Node<'a, 'a>) {
        let is_collection = node.attribute("isCollection") == Some("true");
        self.items[index.0 as usize].is_collection = is_collection;
        self.pending.push(Pending { item: index, node, part: Part::Tests });
        let components: Vec<_> = children_named(node, "itemComponent").collect();
        if !components.is_empty() {
            let mut read = Vec::with_capacity(components.len());
            for component in components {
                let name = normalized(component.attribute("name").unwrap_or_default());
                let inner = push(self.items, &name, self.file);
                self.read(inner, component);
                read.push((name, Type::Item(inner)));
            }
            self.items[index.0 as usize].shape = Shape::Components(read);
        } else if let Some(function) = child(node, "functionItem") {
            self.pending.push(Pending { item: index, node: function, part: Part::Function });
        } else if let Some(written) = child(node, "typeRef").map(content) {
            match self.types.resolve(self.items, self.file, node, &written.text) {
                Some(ty) => self.items[index.0 as usize].shape = Shape::Of(ty),
                None => {
                    self.pending.push(Pending { item: index, node, part: Part::Type(written) });
                }
            }
        }
    }
}

fn resolve_pending<'a>(
    headers: &[Header<'a>],
    types: &TypeNames,
    items: &mut [Item],
    pending: Vec<Pending<'a>>,
    (mode, lenient): (Mode, bool),
    diagnostics: &mut Problems,
) {
    for Pending { item, node, part } in pending {
        let at = item.0 as usize;
        let file = items[at].file;
        let mut names = Names::new(&[]);
        let mut reader = Reader {
            mode,
            lenient,
            file,
            header: &headers[file],
            types,
            items,
            names: &mut names,
            diagnostics: &mut *diagnostics,
            element: Some(items[at].name.clone()),
            in_filter: 0,
        };
        match part {
            Part::Type(written) => {
                if let Some(ty) = reader.type_named(node, &written) {
                    items[at].shape = Shape::Of(ty);
                }
            }
            Part::Function => {
                let parameters: Vec<_> = children_named(node, "parameters").collect();
                let parameters = parameters
                    .into_iter()
                    .map(|parameter| reader.type_of(parameter).unwrap_or(Type::Any))
                    .collect();
                let result = attribute(node, "outputTypeRef")
                    .and_then(|written| reader.type_named(node, &written))
                    .unwrap_or(Type::Any);
                items[at].shape = Shape::Function { parameters, result };
            }
            Part::Tests => {
                let text = |part: &'static str| {
                    let holder = child(node, part)?;
                    Some((holder, child(holder, "text").map(content)?))
                };
                let allowed = text("allowedValues");
                let order = allowed.as_ref().and_then(|(_, text)| order(&reader, text));
                let allowed = allowed.and_then(|(holder, text)| reader.tests(holder, text));
                let constraint =
                    text("typeConstraint").and_then(|(holder, text)| reader.tests(holder, text));
                items[at].allowed = allowed;
                items[at].order = order;
                items[at].constraint = constraint;
            }
        }
    }
}

/// Chains of names that never come to a type. Each item is walked over once.
fn report_cycles(headers: &[Header<'_>], items: &[Item], diagnostics: &mut Problems) {
    let named = headers.iter().flat_map(|header| header.items.iter().map(move |n| (header, n)));
    let mut walked_from: Vec<Option<usize>> = vec![None; items.len()];
    for (start, (header, node)) in named.enumerate() {
        let mut at = start;
        while walked_from[at].is_none() {
            walked_from[at] = Some(start);
            match items[at].shape {
                Shape::Of(Type::Item(next)) => at = next.0 as usize,
                _ => break,
            }
            if walked_from[at] == Some(start) {
                let message = format!("the type {} is made of itself", quoted(&items[at].name));
                let position = header.source.position(*node);
                let element = Some(&items[start].name);
                header.source.report(
                    diagnostics,
                    Severity::Error,
                    position,
                    element,
                    "cyclic-type",
                    message,
                );
            }
        }
    }
}
