use std::cmp::Ordering;
use std::sync::Arc;

use orloj_types::Value;

#[derive(Debug)]
pub(crate) struct Program {
    pub(super) root: Node,
    /// Lists or contexts are made; only then can a result be larger than what went in.
    pub(super) builds: bool,
}

#[derive(Debug)]
pub(super) struct Node {
    pub offset: u32,
    pub kind: Kind,
}

/// Operators that associate to the left are one node with all operands, so that long sums and
/// conditions do not nest.
#[derive(Debug)]
pub(super) enum Kind {
    Literal(Value),
    Name(Arc<str>),
    List(Vec<Node>),
    Context(Vec<Entry>),
    Negate(Box<Node>),
    /// Operators of one level only.
    Arithmetic(Box<Node>, Vec<Operand>),
    Compare(Comparison, Box<(Node, Node)>),
    Between(Box<(Node, Node, Node)>),
    In(Box<Node>, Vec<Test>),
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
    If(Box<(Node, Node, Node)>),
    Path(Box<Node>, Vec<Step>),
}

#[derive(Debug)]
pub(super) struct Entry {
    pub name: Arc<str>,
    pub value: Node,
}

#[derive(Debug)]
pub(super) struct Operand {
    pub operator: Arithmetic,
    pub offset: u32,
    pub node: Node,
}

#[derive(Debug)]
pub(super) struct Step {
    pub offset: u32,
    pub access: Access,
}

#[derive(Debug)]
pub(super) enum Access {
    Member(Arc<str>),
    Filter(Node),
}

/// What may stand to the right of `in`.
#[derive(Debug)]
pub(super) enum Test {
    Compare(Comparison, Node),
    Interval(Box<Interval>),
    /// A literal without parentheses: only equality counts.
    Equal(Node),
    /// True fits, a list fits its items, anything else fits what it equals.
    Fits(Node),
}

#[derive(Debug)]
pub(super) struct Interval {
    pub low: Node,
    pub low_included: bool,
    pub high: Node,
    pub high_included: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
}

/// How tightly operators bind, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// `if` and `in`, which take everything up to their end.
    Open,
    Any,
    All,
    Comparison,
    Sum,
    Product,
    Power,
    Negation,
    Path,
    Primary,
}

impl Level {
    pub fn tighter(self) -> Self {
        match self {
            Self::Open => Self::Any,
            Self::Any => Self::All,
            Self::All => Self::Comparison,
            Self::Comparison => Self::Sum,
            Self::Sum => Self::Product,
            Self::Product => Self::Power,
            Self::Power => Self::Negation,
            Self::Negation => Self::Path,
            Self::Path | Self::Primary => Self::Primary,
        }
    }
}

impl Comparison {
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }

    pub fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
        }
    }
}

impl Arithmetic {
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Power => "**",
        }
    }

    pub fn level(self) -> Level {
        match self {
            Self::Add | Self::Subtract => Level::Sum,
            Self::Multiply | Self::Divide => Level::Product,
            Self::Power => Level::Power,
        }
    }
}

impl Node {
    pub fn new(offset: usize, kind: Kind) -> Self {
        Self { offset: offset as u32, kind }
    }

    pub fn at(&self) -> usize {
        self.offset as usize
    }
}

impl Kind {
    pub fn level(&self) -> Level {
        match self {
            Self::Literal(_) | Self::Name(_) | Self::List(_) | Self::Context(_) | Self::Not(_) => {
                Level::Primary
            }
            Self::Path(..) => Level::Path,
            Self::Negate(_) => Level::Negation,
            Self::Arithmetic(_, operands) => {
                operands.first().map_or(Level::Primary, |operand| operand.operator.level())
            }
            Self::Compare(..) | Self::Between(_) => Level::Comparison,
            Self::All(_) => Level::All,
            Self::Any(_) => Level::Any,
            // A bare test after `in` takes everything up to its end, too.
            Self::If(_) | Self::In(..) => Level::Open,
        }
    }

    /// Gives a boolean or null whatever the variables are.
    pub fn is_condition(&self) -> bool {
        match self {
            Self::Compare(..)
            | Self::Between(_)
            | Self::In(..)
            | Self::All(_)
            | Self::Any(_)
            | Self::Not(_) => true,
            Self::Literal(value) => matches!(value, Value::Bool(_)),
            _ => false,
        }
    }
}
