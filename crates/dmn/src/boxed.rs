//! Boxed expressions, parsed.

use std::sync::Arc;

use orloj_xml::Position;

use crate::evaluation::LogicKind;
use crate::feel::{Formula, Tests};
use crate::types::Type;

pub(crate) struct Boxed {
    pub kind: Kind,
    pub ty: Option<Type>,
    pub position: Position,
}

pub(crate) enum Kind {
    Literal(Formula),
    Table(Box<Table>),
    Context {
        entries: Vec<Entry>,
        result: Option<Box<Boxed>>,
    },
    Relation {
        columns: Vec<Column>,
        rows: Vec<Vec<Boxed>>,
    },
    List(Vec<Boxed>),
    Function(Arc<Function>),
    Invocation {
        callee: Box<Boxed>,
        bindings: Vec<Entry>,
    },
    Conditional {
        condition: Box<Boxed>,
        then: Box<Boxed>,
        otherwise: Box<Boxed>,
    },
    Filter {
        list: Box<Boxed>,
        matches: Box<Boxed>,
    },
    Iterator {
        kind: IteratorKind,
        variable: Arc<str>,
        /// The body may read the results so far, which are copied for it then.
        has_partial: bool,
        list: Box<Boxed>,
        body: Box<Boxed>,
    },
    /// An empty box; its value is null.
    Missing,
}

impl Kind {
    pub fn of_logic(&self) -> LogicKind {
        match self {
            Self::Literal(_) => LogicKind::Literal,
            Self::Table(_) => LogicKind::Table,
            Self::Context { .. } => LogicKind::Context,
            Self::Relation { .. } => LogicKind::Relation,
            Self::List(_) => LogicKind::List,
            Self::Function(_) => LogicKind::Function,
            Self::Invocation { .. } => LogicKind::Invocation,
            Self::Conditional { .. } => LogicKind::Conditional,
            Self::Filter { .. } => LogicKind::Filter,
            Self::Iterator { .. } => LogicKind::Iterator,
            Self::Missing => LogicKind::None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IteratorKind {
    For,
    Some,
    Every,
}

/// A named part of a context or a call.
pub(crate) struct Entry {
    pub name: Arc<str>,
    pub ty: Option<Type>,
    pub value: Boxed,
}

pub(crate) struct Column {
    pub name: Arc<str>,
    pub ty: Option<Type>,
}

pub(crate) struct Function {
    pub names: Vec<Arc<str>>,
    pub types: Vec<Type>,
    pub body: Body,
    pub position: Position,
}

pub(crate) enum Body {
    Feel(Boxed),
    /// Java and PMML: there is nothing here that could run them.
    Foreign(Arc<str>),
}

pub(crate) struct Table {
    pub id: Option<Arc<str>>,
    pub hit_policy: HitPolicy,
    pub inputs: Vec<Input>,
    pub outputs: Vec<Output>,
    pub rules: Vec<Rule>,
    pub position: Position,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HitPolicy {
    Unique,
    Any,
    Priority,
    First,
    RuleOrder,
    OutputOrder,
    Collect(Option<Aggregation>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregation {
    Sum,
    Min,
    Max,
    Count,
}

pub(crate) struct Input {
    pub id: Option<Arc<str>>,
    pub label: Arc<str>,
    pub value: Formula,
    pub ty: Option<Type>,
    pub allowed: Option<Tests>,
    /// The name under which rules see the value in Camunda 7.
    pub variable: Arc<str>,
    /// The variable that it is, where it is nothing else.
    pub name: Option<Arc<str>>,
}

pub(crate) struct Output {
    pub id: Option<Arc<str>>,
    /// Always there when the table has several outputs.
    pub name: Option<Arc<str>>,
    pub label: Option<Arc<str>>,
    pub ty: Option<Type>,
    pub allowed: Option<Tests>,
    /// The allowed values as a list, the first with the highest priority.
    pub order: Option<Formula>,
    pub default: Option<Formula>,
}

pub(crate) struct Rule {
    pub id: Option<Arc<str>>,
    /// `None`: anything goes.
    pub tests: Vec<Option<Tests>>,
    /// `None`: an empty entry.
    pub outputs: Vec<Option<Formula>>,
    pub annotations: Vec<Arc<str>>,
}

impl HitPolicy {
    pub(crate) fn parse(policy: &str, aggregation: Option<&str>) -> Option<Self> {
        Some(match policy {
            "UNIQUE" | "U" => Self::Unique,
            "ANY" | "A" => Self::Any,
            "PRIORITY" | "P" => Self::Priority,
            "FIRST" | "F" => Self::First,
            "RULE ORDER" | "R" => Self::RuleOrder,
            "OUTPUT ORDER" | "O" => Self::OutputOrder,
            "COLLECT" | "C" => Self::Collect(match aggregation {
                None => None,
                Some("SUM" | "+") => Some(Aggregation::Sum),
                Some("MIN" | "<") => Some(Aggregation::Min),
                Some("MAX" | ">") => Some(Aggregation::Max),
                Some("COUNT" | "#") => Some(Aggregation::Count),
                Some(_) => return None,
            }),
            _ => return None,
        })
    }

    /// As the standard spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unique => "UNIQUE",
            Self::Any => "ANY",
            Self::Priority => "PRIORITY",
            Self::First => "FIRST",
            Self::RuleOrder => "RULE ORDER",
            Self::OutputOrder => "OUTPUT ORDER",
            Self::Collect(None) => "COLLECT",
            Self::Collect(Some(Aggregation::Sum)) => "COLLECT SUM",
            Self::Collect(Some(Aggregation::Min)) => "COLLECT MIN",
            Self::Collect(Some(Aggregation::Max)) => "COLLECT MAX",
            Self::Collect(Some(Aggregation::Count)) => "COLLECT COUNT",
        }
    }
}
