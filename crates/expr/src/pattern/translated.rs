use regex_syntax::hir::{Class, Hir, HirKind};

use super::compiled::Pattern;
use super::{java, xpath};

/// Longest pattern.
const SOURCE_BYTES_MAX: usize = 4 << 10;
/// Of a pattern with its repetitions written out; compiling takes a microsecond for each.
const ATOMS_MAX: usize = 8_000;
/// What a class counts that goes beyond ASCII: its characters are of several bytes.
const WIDE_CLASS_ATOMS: usize = 12;
/// Classes such as `\w` have hundreds of ranges, many of which share their bytes.
const RANGES_PER_ATOM: usize = 8;
const STEPS_PER_ATOM: usize = 30;
const STEPS_PER_PATTERN: usize = 500;
const NESTING_MAX: u32 = 50;

/// A pattern in the words of the engine that will run it. Compiling is the costly part, so that
/// its price is known before.
#[derive(Debug)]
pub struct Translated {
    pub(super) text: String,
    pub(super) flags: Flags,
    pub(super) hir: Hir,
    pub(super) is_java: bool,
    atoms: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    pub case_insensitive: bool,
    pub multi_line: bool,
    pub dot_matches_all: bool,
    pub comments: bool,
    pub literal: bool,
    /// Only matches of whole texts are asked for.
    pub whole: bool,
    /// Only whether there is a match is asked for.
    pub test: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Java knows it.
    #[error("{0} is not supported")]
    Unsupported(&'static str),
    #[error("it is too large")]
    TooLarge,
    #[error("it is longer than {SOURCE_BYTES_MAX} bytes")]
    TooLong,
    #[error("{0}")]
    Syntax(String),
}

impl Flags {
    /// Flags without a meaning are passed over; `q` is none of Java's.
    pub fn of_letters(letters: &str) -> Self {
        let has = |letter| letters.contains(letter);
        Self {
            case_insensitive: has('i'),
            multi_line: has('m'),
            dot_matches_all: has('s'),
            comments: has('x'),
            literal: has('q'),
            whole: false,
            test: false,
        }
    }
}

impl Translated {
    /// As Java reads it: `\w`, `\d`, `\s` and letters of either case are those of ASCII.
    pub fn java(source: &str, flags: Flags) -> Result<Self, Refused> {
        check_length(source)?;
        let text = java::translate(source, flags)?;
        let text = if flags.whole { format!(r"\A(?:{text})\z") } else { text };
        Self::new(text, Flags::default(), true)
    }

    /// As XPath and XML Schema read it. Where pattern and text are of ASCII, so can be the classes.
    pub(crate) fn xpath(source: &str, flags: Flags, ascii: bool) -> Result<Self, Refused> {
        check_length(source)?;
        let text = match flags.literal {
            true => regex::escape(source),
            false if flags.comments => {
                xpath::translate(&xpath::without_blanks(source), flags.dot_matches_all, ascii)?
            }
            false => xpath::translate(source, flags.dot_matches_all, ascii)?,
        };
        Self::new(text, flags, false)
    }

    fn new(text: String, flags: Flags, is_java: bool) -> Result<Self, Refused> {
        let mut parser = regex_syntax::ParserBuilder::new()
            .case_insensitive(flags.case_insensitive)
            .multi_line(flags.multi_line)
            .dot_matches_new_line(flags.dot_matches_all)
            .nest_limit(NESTING_MAX)
            .build();
        let hir = parser.parse(&text).map_err(|error| Refused::Syntax(last_line(&error)))?;
        let atoms = atoms(&hir);
        if atoms > ATOMS_MAX {
            return Err(Refused::TooLarge);
        }
        Ok(Self { text, flags, hir, is_java, atoms })
    }

    /// What compiling it costs.
    pub fn steps(&self) -> usize {
        STEPS_PER_PATTERN + self.atoms * STEPS_PER_ATOM
    }

    pub fn compile(self) -> Result<Pattern, Refused> {
        Pattern::new(self)
    }
}

/// What of Java's patterns this one uses that no automaton can do. Reads it once.
pub fn unsupported(source: &str) -> Option<&'static str> {
    match java::translate(source.get(..SOURCE_BYTES_MAX).unwrap_or(source), Flags::default()) {
        Err(Refused::Unsupported(what)) => Some(what),
        _ => None,
    }
}

fn check_length(source: &str) -> Result<(), Refused> {
    if source.len() > SOURCE_BYTES_MAX { Err(Refused::TooLong) } else { Ok(()) }
}

/// How large the pattern is with its repetitions written out. The nesting is bounded.
fn atoms(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(Class::Bytes(_)) => 1,
        HirKind::Class(Class::Unicode(class)) => match class.is_ascii() {
            true => 1,
            false => WIDE_CLASS_ATOMS + class.ranges().len() / RANGES_PER_ATOM,
        },
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(repetition.min).max(1);
            (atoms(&repetition.sub) + 1).saturating_mul(most as usize)
        }
        HirKind::Capture(capture) => atoms(&capture.sub) + 2,
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().fold(1, |sum, part| atoms(part).saturating_add(sum))
        }
    }
}

pub(super) fn last_line(error: &dyn std::fmt::Display) -> String {
    let text = error.to_string();
    let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    last.trim().trim_start_matches("error: ").to_owned()
}
