use std::sync::Arc;

use orloj_types::Value;

use super::functions::Function;

/// Text with at least one `${}` or `#{}` in it.
#[derive(Debug)]
pub(crate) struct Program {
    pub(super) parts: Vec<Part>,
    pub(super) sign: Sign,
}

impl Program {
    pub(crate) fn method_call(&self) -> Option<(&str, &str)> {
        let [Part::Expression(Node { kind: Kind::Path(base, steps), .. })] = &self.parts[..] else {
            return None;
        };
        match (&base.kind, &steps[..]) {
            (Kind::Name(name), [Step { access: Access::Call(method, _), .. }]) => {
                Some((name, method))
            }
            _ => None,
        }
    }
}

#[derive(Debug)]
pub(super) enum Part {
    Text(Arc<str>),
    Expression(Node),
}

/// What opens the expressions; one text has one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Dollar,
    Hash,
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
    Negate(Box<Node>),
    Not(Box<Node>),
    Empty(Box<Node>),
    /// Operators of one level only.
    Chain(Box<Node>, Vec<Operand>),
    All(Vec<Node>),
    Any(Vec<Node>),
    Choice(Box<(Node, Node, Node)>),
    Path(Box<Node>, Vec<Step>),
    Function(Box<FunctionCall>),
}

#[derive(Debug)]
pub(super) struct FunctionCall {
    pub function: Function,
    /// As written, prefix included.
    pub name: Arc<str>,
    pub arguments: Vec<Node>,
}

#[derive(Debug)]
pub(super) struct Operand {
    pub operator: Operator,
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
    Index(Node),
    /// `.name(…)`
    Call(Arc<str>, Vec<Node>),
    /// `[name](…)`
    CallIndex(Node, Vec<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Operator {
    pub fn is_equality(self) -> bool {
        matches!(self, Self::Equal | Self::NotEqual)
    }
}

/// How tightly operators bind, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Choice,
    Any,
    All,
    Equality,
    Order,
    Sum,
    Product,
    Unary,
    Path,
    Primary,
}

impl Level {
    pub fn tighter(self) -> Self {
        match self {
            Self::Choice => Self::Any,
            Self::Any => Self::All,
            Self::All => Self::Equality,
            Self::Equality => Self::Order,
            Self::Order => Self::Sum,
            Self::Sum => Self::Product,
            Self::Product => Self::Unary,
            Self::Unary => Self::Path,
            Self::Path | Self::Primary => Self::Primary,
        }
    }
}

impl Operator {
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
        }
    }

    pub fn level(self) -> Level {
        match self {
            Self::Equal | Self::NotEqual => Level::Equality,
            Self::Less | Self::LessOrEqual | Self::Greater | Self::GreaterOrEqual => Level::Order,
            Self::Add | Self::Subtract => Level::Sum,
            Self::Multiply | Self::Divide | Self::Remainder => Level::Product,
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
            Self::Literal(_) | Self::Name(_) | Self::Function(_) => Level::Primary,
            Self::Path(..) => Level::Path,
            Self::Negate(_) | Self::Not(_) | Self::Empty(_) => Level::Unary,
            Self::Chain(_, operands) => {
                operands.first().map_or(Level::Primary, |operand| operand.operator.level())
            }
            Self::All(_) => Level::All,
            Self::Any(_) => Level::Any,
            Self::Choice(_) => Level::Choice,
        }
    }
}

impl Sign {
    pub fn opening(self) -> &'static str {
        match self {
            Self::Dollar => "${",
            Self::Hash => "#{",
        }
    }
}
