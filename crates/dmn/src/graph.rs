//! The checked model: what the parser promises and the evaluation relies on.
//!
//! Every index is valid, every expression is parsed, information requirements have no cycle.

use std::sync::Arc;

use orloj_xml::Position;

use crate::boxed::{Boxed, Function};
use crate::feel::{Formula, Tests};
use crate::options::Mode;
use crate::read::type_names::TypeNames;
use crate::types::Type;

pub(crate) struct Graph {
    pub mode: Mode,
    pub files: Vec<FileInfo>,
    pub nodes: Vec<Node>,
    pub items: Vec<Item>,
    pub types: TypeNames,
    pub operations: Operations,
}

/// What FEEL does with values of tables, parsed once.
pub(crate) struct Operations {
    pub sum: Formula,
    pub min: Formula,
    pub max: Formula,
    pub equal: Formula,
    /// What a loop over a range goes through.
    pub items: Formula,
}

pub(crate) struct FileInfo {
    pub id: Arc<str>,
    pub name: Arc<str>,
    pub namespace: Arc<str>,
    /// Name of the import, and the file it brings.
    pub imports: Vec<(Arc<str>, usize)>,
}

/// Index into [`Graph::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeIndex(pub u32);

/// Index into [`Graph::items`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ItemIndex(pub u32);

pub(crate) struct Node {
    pub file: usize,
    pub id: Arc<str>,
    pub name: Arc<str>,
    /// The name under which others see its value.
    pub variable: Arc<str>,
    pub ty: Type,
    pub position: Position,
    pub version_tag: Option<Arc<str>>,
    pub requires: Vec<Requirement>,
    pub kind: NodeKind,
}

pub(crate) enum NodeKind {
    Input,
    Decision { logic: Option<Boxed> },
    Knowledge { function: Option<Arc<Function>> },
    Service(Service),
}

/// Something whose value a node sees.
#[derive(Clone, Debug)]
pub(crate) struct Requirement {
    pub node: NodeIndex,
    /// The name of the import it comes through.
    pub import: Option<Arc<str>>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Service {
    pub outputs: Vec<NodeIndex>,
    /// The parameters, in the order of calls: input data, then input decisions.
    pub inputs: Vec<NodeIndex>,
    pub input_decisions: Vec<NodeIndex>,
}

/// An item definition or one of its components.
pub(crate) struct Item {
    pub name: Arc<str>,
    pub file: usize,
    pub is_collection: bool,
    pub shape: Shape,
    /// What the value, or each value of a collection, must be one of.
    pub allowed: Option<Tests>,
    /// The allowed values as a list, the first with the highest priority.
    pub order: Option<Formula>,
    /// What the value, or the collection as a whole, must fulfil.
    pub constraint: Option<Tests>,
}

pub(crate) enum Shape {
    Of(Type),
    Components(Vec<(Arc<str>, Type)>),
    Function { parameters: Vec<Type>, result: Type },
}

impl Operations {
    pub fn new() -> Self {
        Self {
            sum: Formula::of("sum(list)"),
            min: Formula::of("min(list)"),
            max: Formula::of("max(list)"),
            equal: Formula::of("a = b"),
            items: Formula::of("for i in list return i"),
        }
    }
}

impl Graph {
    pub fn node(&self, index: NodeIndex) -> &Node {
        &self.nodes[index.0 as usize]
    }

    /// As messages name it.
    pub fn type_name(&self, ty: &Type) -> String {
        match ty {
            Type::Any => "Any".into(),
            Type::Number => "number".into(),
            Type::Integer => "integer".into(),
            Type::Double => "double".into(),
            Type::Text => "string".into(),
            Type::Bool => "boolean".into(),
            Type::Date => "date".into(),
            Type::Time => "time".into(),
            Type::DateTime => "date and time".into(),
            Type::DaysDuration => "days and time duration".into(),
            Type::MonthsDuration => "years and months duration".into(),
            Type::Context => "context".into(),
            Type::Function => "function".into(),
            Type::List(of) => format!("list<{}>", self.type_name(of)),
            Type::Range(of) => format!("range<{}>", self.type_name(of)),
            Type::Item(index) => self.item(*index).name.to_string(),
        }
    }

    pub fn item(&self, index: ItemIndex) -> &Item {
        &self.items[index.0 as usize]
    }
}
