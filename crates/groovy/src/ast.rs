//! The tree of a script. Offsets are bytes from its start.

use std::sync::Arc;

use crate::classes::Class;
use crate::decimal::Dec;

pub(crate) type Name = Arc<str>;

#[derive(Debug)]
pub(crate) struct Expr {
    pub(crate) at: u32,
    pub(crate) kind: ExprKind,
}

#[derive(Debug)]
pub(crate) enum ExprKind {
    Null,
    Bool(bool),
    Int(i32),
    Long(i64),
    BigInt(i128),
    Dec(Dec),
    Double(f64),
    Float(f32),
    Text(Name),
    GString(Vec<TextPiece>),
    Name(Name),
    /// The script itself.
    This,
    Class(Class),
    List(Vec<Argument>),
    Map(Vec<Entry>),
    Range {
        from: Box<Expr>,
        to: Box<Expr>,
        open_start: bool,
        open_end: bool,
    },
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    In {
        negated: bool,
        item: Box<Expr>,
        holder: Box<Expr>,
    },
    InstanceOf {
        negated: bool,
        value: Box<Expr>,
        class: Class,
    },
    Ternary(Box<Expr>, Box<Expr>, Box<Expr>),
    Elvis(Box<Expr>, Box<Expr>),
    /// `a = b`, `a += b`, `a ?= b`.
    Assign {
        target: Box<Expr>,
        operator: AssignOp,
        value: Box<Expr>,
    },
    Step {
        target: Box<Expr>,
        delta: i32,
        returns_old: bool,
    },
    Property {
        target: Box<Expr>,
        name: Member,
        access: Access,
    },
    Index {
        target: Box<Expr>,
        index: Box<Expr>,
        safe: bool,
    },
    /// `f(x)` of a function of the script, a closure in a variable, or a built-in one.
    Call {
        name: Name,
        arguments: Vec<Argument>,
    },
    /// `(expression)(x)`
    CallValue {
        callee: Box<Expr>,
        arguments: Vec<Argument>,
    },
    Method {
        target: Box<Expr>,
        name: Member,
        arguments: Vec<Argument>,
        access: Access,
    },
    MethodPointer {
        target: Box<Expr>,
        name: Name,
    },
    New {
        class: Class,
        arguments: Vec<Argument>,
    },
    NewArray {
        ty: Type,
        size: Box<Expr>,
    },
    Closure(Arc<Function>),
    Cast(Type, Box<Expr>),
    /// `value as Type`
    Coerce(Type, Box<Expr>),
    Switch(Box<Switch>),
}

#[derive(Debug)]
pub(crate) enum TextPiece {
    Text(Name),
    Expr(Expr),
}

#[derive(Debug)]
pub(crate) enum Member {
    Name(Name),
    Computed(Box<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Plain,
    Safe,
    Spread,
}

#[derive(Debug)]
pub(crate) struct Argument {
    pub(crate) value: Expr,
    pub(crate) spread: bool,
}

#[derive(Debug)]
pub(crate) enum Entry {
    Pair(Expr, Expr),
    Spread(Expr),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Not,
    Minus,
    Plus,
    Invert,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Power,
    ShiftLeft,
    ShiftRight,
    ShiftRightUnsigned,
    BitAnd,
    BitOr,
    BitXor,
    Equal,
    NotEqual,
    Same,
    NotSame,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Compare,
    Find,
    Match,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AssignOp {
    Set,
    Elvis,
    Compute(Binary),
}

/// A declared type; values are brought to it when they are assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Any,
    Class(Class),
    /// `int` and its like: as the class, but null does not fit.
    Primitive(Class),
    Array(Class),
}

#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) parameters: Vec<Parameter>,
    /// A closure without parameters takes one named `it`.
    pub(crate) implicit_it: bool,
    pub(crate) varargs: bool,
    pub(crate) body: Vec<Stmt>,
    pub(crate) returns: Type,
}

#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: Name,
    pub(crate) ty: Type,
    pub(crate) default: Option<Expr>,
}

#[derive(Debug)]
pub(crate) struct Stmt {
    pub(crate) at: u32,
    pub(crate) kind: StmtKind,
}

#[derive(Debug)]
pub(crate) enum StmtKind {
    Expr(Expr),
    Declare {
        ty: Type,
        names: Vec<(Name, Option<Expr>)>,
    },
    DeclareMany {
        names: Vec<(Name, Type)>,
        value: Expr,
    },
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    While {
        label: Option<Name>,
        condition: Expr,
        body: Box<Stmt>,
    },
    DoWhile {
        label: Option<Name>,
        condition: Expr,
        body: Box<Stmt>,
    },
    ForIn {
        label: Option<Name>,
        name: Name,
        ty: Type,
        items: Expr,
        body: Box<Stmt>,
    },
    For {
        label: Option<Name>,
        init: Vec<Stmt>,
        condition: Option<Expr>,
        update: Vec<Expr>,
        body: Box<Stmt>,
    },
    Switch(Switch),
    Try {
        body: Vec<Stmt>,
        catches: Vec<Catch>,
        finally: Option<Vec<Stmt>>,
    },
    Throw(Expr),
    Return(Option<Expr>),
    Break(Option<Name>),
    Continue(Option<Name>),
    Block(Vec<Stmt>),
    Assert(Expr, Option<Expr>),
}

#[derive(Debug)]
pub(crate) struct Switch {
    pub(crate) subject: Expr,
    pub(crate) cases: Vec<Case>,
}

#[derive(Debug)]
pub(crate) struct Case {
    /// Empty for `default`.
    pub(crate) tests: Vec<Expr>,
    pub(crate) body: Vec<Stmt>,
    /// `case x -> …` does not fall through.
    pub(crate) arrow: bool,
}

#[derive(Debug)]
pub(crate) struct Catch {
    /// Empty: everything that can be caught.
    pub(crate) classes: Vec<Class>,
    pub(crate) name: Name,
    pub(crate) body: Vec<Stmt>,
}
