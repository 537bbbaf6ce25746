use std::sync::Arc;

use crate::decimal::Dec;

/// A word of a script, with what stood before it: newlines end statements, and a space tells
/// `f (x)` from `f(x)` in a few places.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) at: u32,
    pub(crate) newline_before: bool,
    pub(crate) space_before: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Name(Arc<str>),
    Keyword(&'static str),
    Int(i32),
    Long(i64),
    BigInt(i128),
    Dec(Dec),
    Double(f64),
    Float(f32),
    Text(Arc<str>),
    GString(Vec<Piece>),
    Op(&'static str),
    End,
}

/// A part of a text with `$`.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    Text(Arc<str>),
    /// `$name.property.property`
    Path(Vec<Arc<str>>, u32),
    /// `${…}`, up to a closing [`Kind::End`].
    Code(Vec<Token>),
}

impl PartialEq for Piece {
    fn eq(&self, _other: &Self) -> bool {
        false
    }
}

/// Words that cannot name a variable.
pub(crate) const KEYWORDS: &[&str] = &[
    "as",
    "assert",
    "boolean",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "class",
    "continue",
    "def",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extends",
    "false",
    "final",
    "finally",
    "float",
    "for",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "int",
    "interface",
    "long",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "short",
    "static",
    "super",
    "switch",
    "synchronized",
    "this",
    "throw",
    "throws",
    "trait",
    "true",
    "try",
    "var",
    "void",
    "while",
];

/// Longest first, so that the first that fits is right.
pub(crate) const OPERATORS: &[&str] = &[
    ">>>=", "<<=", ">>=", ">>>", "===", "!==", "<=>", "==~", "**=", "..<", "<..", "...", "*.",
    "?.", "?:", "?=", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "==", "!=", "<=",
    ">=", "&&", "||", "<<", ">>", "**", "..", "->", "=~", ".&", ".@", "::", "?[", "!in", "+", "-",
    "*", "/", "%", "=", "<", ">", "!", "~", "&", "|", "^", "?", ":", ".", ",", ";", "(", ")", "[",
    "]", "{", "}", "@",
];
