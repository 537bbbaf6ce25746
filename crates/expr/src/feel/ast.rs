use std::cmp::Ordering;
use std::sync::Arc;

use orloj_types::{RangeForm, Value};

use super::builtins::Builtin;
use super::mode::Mode;
use super::types::Type;

#[derive(Debug)]
pub(crate) struct Program {
    pub(super) root: Node,
    pub(super) mode: Mode,
    /// Lists, contexts or functions are made; only then can a result be larger than what went in.
    pub(super) builds: bool,
    /// Words of the text that begin a longer name where it stands.
    pub(super) beginnings: Box<[Box<str>]>,
}

impl Program {
    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }
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
    /// `?`, what a unary test is about.
    Input,
    List(Vec<Node>),
    Context(Vec<Entry>),
    Range(Box<Interval>),
    Negate(Box<Node>),
    /// Operators of one level only.
    Arithmetic(Box<Node>, Vec<Operand>),
    Compare(Comparison, Box<(Node, Node)>),
    Between(Box<(Node, Node, Node)>),
    In(Box<Node>, Vec<Test>),
    All(Vec<Node>),
    Any(Vec<Node>),
    If(Box<(Node, Node, Node)>),
    Path(Box<Node>, Vec<Step>),
    For(Box<Loop>),
    Some(Box<Loop>),
    Every(Box<Loop>),
    InstanceOf(Box<Node>, Box<Type>),
    Function(Arc<Lambda>),
    Call(Box<Call>),
    Tests(Box<UnaryTests>),
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

/// What may stand to the right of `in`, and in a cell of a decision table.
#[derive(Debug)]
pub(super) enum Test {
    Compare(Comparison, Node),
    Interval(Box<Interval>),
    /// A literal without parentheses: only equality counts.
    Equal(Node),
    /// True fits, a list fits its items, a range what lies in it, anything else what it equals.
    Fits(Node),
    /// A condition on the input: its own answer counts.
    Holds(Node),
}

/// `low` or `high` is missing in `(< 5)` and the like.
#[derive(Debug)]
pub(super) struct Interval {
    pub low: Option<Node>,
    pub low_included: bool,
    pub high: Option<Node>,
    pub high_included: bool,
    /// `(= 5)` and `(!= 5)` have a low end only.
    pub form: RangeForm,
}

/// Without any test, everything fits.
#[derive(Debug)]
pub(super) struct UnaryTests {
    pub negated: bool,
    pub tests: Vec<Test>,
}

/// `for`, `some` and `every`.
#[derive(Debug)]
pub(super) struct Loop {
    pub iterators: Vec<Iterator>,
    pub body: Node,
    /// The body reads the results so far.
    pub partial: bool,
}

#[derive(Debug)]
pub(super) struct Iterator {
    pub name: Arc<str>,
    pub source: Source,
}

#[derive(Debug)]
pub(super) enum Source {
    Values(Node),
    /// `a..b`, also downwards.
    Between(Node, Node),
}

#[derive(Debug)]
pub(super) struct Lambda {
    pub parameters: Vec<Parameter>,
    /// The names alone.
    pub names: Box<[Arc<str>]>,
    pub result: Option<Type>,
    pub body: Node,
    /// The body describes a function of the host.
    pub external: bool,
    /// Names in the body that may be those of the surroundings.
    pub free: Vec<Arc<str>>,
    pub mode: Mode,
}

#[derive(Debug)]
pub(super) struct Parameter {
    pub name: Arc<str>,
    pub type_: Option<Type>,
}

#[derive(Debug)]
pub(super) struct Call {
    pub callee: Callee,
    pub arguments: Arguments,
}

#[derive(Debug)]
pub(super) enum Callee {
    Builtin(&'static Builtin),
    Value(Node),
}

#[derive(Debug)]
pub(super) enum Arguments {
    Positional(Vec<Node>),
    Named(Vec<Entry>),
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
    /// `if`, `for`, `in` and the like, which take everything up to their end.
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
            Self::Literal(_)
            | Self::Name(_)
            | Self::Input
            | Self::List(_)
            | Self::Context(_)
            | Self::Range(_)
            | Self::Call(_) => Level::Primary,
            Self::Path(..) => Level::Path,
            Self::Negate(_) => Level::Negation,
            Self::Arithmetic(_, operands) => {
                operands.first().map_or(Level::Primary, |operand| operand.operator.level())
            }
            Self::Compare(..) | Self::Between(_) | Self::InstanceOf(..) => Level::Comparison,
            Self::All(_) => Level::All,
            Self::Any(_) => Level::Any,
            // A bare test after `in` takes everything up to its end, too.
            Self::If(_)
            | Self::In(..)
            | Self::For(_)
            | Self::Some(_)
            | Self::Every(_)
            | Self::Function(_)
            | Self::Tests(_) => Level::Open,
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
            | Self::Some(_)
            | Self::Every(_)
            | Self::InstanceOf(..) => true,
            Self::Literal(value) => matches!(value, Value::Bool(_)),
            Self::Call(call) => matches!(&call.callee, Callee::Builtin(f) if f.name == "not"),
            _ => false,
        }
    }
}
