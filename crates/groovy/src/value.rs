//! Values while a script runs. Everything that can hold other values lives in the [`Heap`] and is
//! named by number: cycles cost nothing, dropping never recurses, and all of it goes at once.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::ast::{Function, Name, Type};
use crate::classes::Class;
use crate::decimal::Dec;
use crate::host::VariableScope;
use crate::pattern::Pattern;

pub(crate) type Id = u32;

#[derive(Clone, Debug)]
pub(crate) enum Val {
    Null,
    Bool(bool),
    Int(i32),
    Long(i64),
    BigInt(i128),
    Dec(Dec),
    Double(f64),
    Float(f32),
    Char(char),
    Text(Rc<str>),
    /// A text made from `$` expressions; differs from [`Val::Text`] in its class only.
    GString(Rc<str>),
    List(Id),
    Array(Id, Class),
    Map(Id),
    Set(Id),
    Range(Rc<Range>),
    Pair(Id),
    Closure(Id),
    Error(Id),
    Class(Class),
    Date(i64),
    Builder(Id),
    Pattern(Rc<Pattern>),
    Matcher(Id),
    DateFormat(Rc<str>),
    /// `execution`, or one reached from it.
    Execution(Reach),
    Task,
    /// `System.out`, `System.err`
    Out,
    Random,
    Json,
    Rounding(crate::decimal::Rounding),
    Script,
    /// A typed value of Camunda that ends with the transaction.
    Transient(Rc<Val>),
}

/// Whose variables an `execution` object shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    Own,
    Instance,
    Parent,
}

impl Reach {
    pub(crate) fn scope(self, local: bool) -> VariableScope {
        match (self, local) {
            (Self::Own, false) => VariableScope::Nearest,
            (Self::Own, true) => VariableScope::Local,
            (Self::Instance, _) => VariableScope::Instance,
            (Self::Parent, false) => VariableScope::Parent,
            (Self::Parent, true) => VariableScope::ParentLocal,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Range {
    Int { from: i64, to: i64, open_start: bool, open_end: bool },
    Chars { from: char, to: char, open_start: bool, open_end: bool },
}

#[derive(Default)]
pub(crate) struct Heap {
    pub(crate) lists: Vec<Vec<Val>>,
    pub(crate) maps: Vec<MapObject>,
    pub(crate) pairs: Vec<(Val, Val)>,
    pub(crate) closures: Vec<Callable>,
    pub(crate) errors: Vec<ErrorObject>,
    pub(crate) builders: Vec<String>,
    pub(crate) matchers: Vec<MatcherObject>,
    pub(crate) scopes: Vec<Scope>,
}

/// A map or a set, in the order of insertion.
#[derive(Clone)]
pub(crate) struct MapObject {
    pub(crate) class: Class,
    pub(crate) entries: Vec<(Val, Val)>,
    pub(crate) index: HashMap<Key, usize>,
    /// The closure of `withDefault`.
    pub(crate) default: Option<Id>,
    pub(crate) immutable: bool,
}

/// What of a value decides whether it is the same key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    Null,
    Bool(bool),
    Int(i32),
    Long(i64),
    BigInt(i128),
    Dec(Dec),
    Double(u64),
    Char(char),
    Text(Rc<str>),
    Date(i64),
    List(Vec<Key>),
    Pairs(Vec<(Key, Key)>),
    Other(u8, Id),
}

#[derive(Clone)]
pub(crate) enum Callable {
    Closure {
        function: Arc<Function>,
        scope: Id,
        delegate: Option<Val>,
    },
    /// `target.&name`
    Method {
        target: Val,
        name: Name,
    },
}

pub(crate) struct ErrorObject {
    pub(crate) class: Class,
    pub(crate) message: Option<Rc<str>>,
    /// Of a BPMN error.
    pub(crate) code: Option<Rc<str>>,
    pub(crate) cause: Option<Id>,
    pub(crate) at: u32,
}

pub(crate) struct MatcherObject {
    pub(crate) pattern: Rc<Pattern>,
    pub(crate) text: Rc<str>,
    /// Where the next `find()` starts, and the groups of the last one.
    pub(crate) from: usize,
    pub(crate) last: Option<Vec<Option<(usize, usize)>>>,
}

pub(crate) struct Scope {
    pub(crate) parent: Option<Id>,
    pub(crate) locals: Vec<Local>,
    /// Answers for names that nothing else knows: `object.with { … }`.
    pub(crate) delegate: Option<Val>,
}

pub(crate) struct Local {
    pub(crate) name: Name,
    pub(crate) ty: Type,
    pub(crate) value: Val,
}

impl Val {
    pub(crate) fn text(text: impl Into<Rc<str>>) -> Self {
        Self::Text(text.into())
    }

    /// The characters of a text of any class.
    pub(crate) fn as_text(&self) -> Option<&Rc<str>> {
        match self {
            Self::Text(text) | Self::GString(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
}

impl Range {
    pub(crate) fn len(&self) -> usize {
        let (from, to, open_start, open_end) = match self {
            Self::Int { from, to, open_start, open_end } => (*from, *to, *open_start, *open_end),
            Self::Chars { from, to, open_start, open_end } => {
                (i64::from(u32::from(*from)), i64::from(u32::from(*to)), *open_start, *open_end)
            }
        };
        let count = from.abs_diff(to).saturating_add(1);
        let less = u64::from(open_start) + u64::from(open_end);
        usize::try_from(count.saturating_sub(less)).unwrap_or(usize::MAX)
    }

    /// The `index`-th item; `index` is below [`Self::len`].
    pub(crate) fn get(&self, index: usize) -> Val {
        let index = i64::try_from(index).unwrap_or(i64::MAX);
        match self {
            Self::Int { from, to, open_start, .. } => {
                let index = index.saturating_add(i64::from(*open_start));
                let item = if from <= to {
                    from.saturating_add(index)
                } else {
                    from.saturating_sub(index)
                };
                i32::try_from(item).map_or(Val::Long(item), Val::Int)
            }
            Self::Chars { from, to, open_start, .. } => {
                let index = index.saturating_add(i64::from(*open_start));
                let start = i64::from(u32::from(*from));
                let code = if from <= to { start + index } else { start - index };
                let c = u32::try_from(code).ok().and_then(char::from_u32).unwrap_or_default();
                Val::text(c.to_string())
            }
        }
    }
}
