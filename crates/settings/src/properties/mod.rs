//! The property names of Camunda 7 and Flowable: type, default, and what becomes of each.

mod camunda;
mod camunda_boot;
mod camunda_without_effect;
mod convert;
mod find;
mod flowable;
mod flowable_boot;
mod flowable_without_effect;

pub use convert::convert;
pub use find::{find_boot, find_property, suggestion, unknown};

/// All of them.
pub const PROPERTIES: &[&[Property]] = &[
    camunda::ENGINE,
    camunda::EXECUTOR,
    camunda::WEEKDAYS,
    camunda_boot::BOOT,
    camunda_without_effect::ENGINE,
    flowable::ENGINE,
    flowable::EXECUTOR,
    flowable::SCRIPTING,
    flowable_boot::BOOT,
    flowable_without_effect::ENGINE,
];

pub fn properties() -> impl Iterator<Item = &'static Property> {
    PROPERTIES.iter().flat_map(|table| table.iter())
}

#[derive(Debug)]
pub struct Property {
    pub system: System,
    pub owner: Owner,
    /// Of the engine or the executor as their setters are called; of Spring Boot in full. One that
    /// ends in `.*` stands for everything below it.
    pub name: &'static str,
    /// Further names in Spring Boot or Quarkus, in full.
    pub boot: &'static [&'static str],
    pub kind: Kind,
    /// Empty: not set.
    pub default: &'static str,
    /// Where the chapter on the async executor says something else.
    pub chapter: Option<&'static str>,
    /// Values of theirs that are called differently here; an empty one unsets the knob.
    pub words: &'static [(&'static str, &'static str)],
    pub fate: Fate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum System {
    Camunda7,
    Flowable,
}

/// Whose property it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// The process engine configuration.
    Engine,
    /// The job executor, a named acquisition or its thread pool.
    Executor,
    /// A configurator of scripts.
    Scripting,
    /// Spring Boot or Quarkus only.
    Boot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Flag,
    Number,
    Decimal,
    Text,
    Millis,
    Seconds,
    /// ISO 8601, or a number with a unit as Spring writes it; a bare number is milliseconds.
    Duration,
    /// The same; a bare number is days.
    Days,
    /// Counts batches of jobs, as many as one acquisition takes.
    Batches,
    Ttl,
    Time,
    List,
    Map,
    /// A Java object.
    Object,
}

/// What becomes of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It turns this knob.
    Knob(&'static str),
    /// It turns both: here timers are told apart from other jobs.
    Both(&'static str, &'static str),
    /// It is this key of the `[scripting]` table.
    Scripting(&'static str),
    /// It is accepted and has no effect, because.
    Without(&'static str),
    /// The same; with this value it asks for something that will not happen, because.
    Warns(&'static str, &'static str),
}

impl Fate {
    /// The knobs that it turns.
    pub fn knobs(self) -> impl Iterator<Item = &'static str> {
        let (first, second) = match self {
            Self::Knob(knob) => (Some(knob), None),
            Self::Both(first, second) => (Some(first), Some(second)),
            Self::Scripting(_) | Self::Without(_) | Self::Warns(..) => (None, None),
        };
        first.into_iter().chain(second)
    }
}

impl System {
    /// Of the table in the configuration file.
    pub fn table(self) -> &'static str {
        match self {
            Self::Camunda7 => "camunda",
            Self::Flowable => "flowable",
        }
    }
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Number => "number",
            Self::Decimal => "decimal",
            Self::Text => "text",
            Self::Millis => "milliseconds",
            Self::Seconds => "seconds",
            Self::Duration => "duration",
            Self::Days => "days",
            Self::Batches => "batches",
            Self::Ttl => "days to live",
            Self::Time => "time of day",
            Self::List => "list",
            Self::Map => "map",
            Self::Object => "object",
        }
    }
}

/// Rows: `name Kind default [boot names] chapter default words list => fate;`
macro_rules! rows {
    ($system:ident $owner:ident; $(
        $name:literal $kind:ident $default:literal $([$($boot:literal),*])?
        $(chapter $chapter:literal)? $(words $words:expr)? => $fate:expr;
    )*) => {
        &[$($crate::properties::Property {
            system: $crate::properties::System::$system,
            owner: $crate::properties::Owner::$owner,
            name: $name,
            boot: &[$($($boot),*)?],
            kind: $crate::properties::Kind::$kind,
            default: $default,
            chapter: $crate::properties::last(&[None, $(Some($chapter))?]),
            words: $crate::properties::last(&[&[] as $crate::properties::Words, $($words)?]),
            fate: $fate,
        }),*]
    };
}
use rows;

/// Why nothing is named by a UUID.
pub(crate) const UUIDS: &str = "everything is named by keys of 64 bits, as clients of Zeebe need \
                                it; the faces that show ids as text will derive UUIDs from them";

type Words = &'static [(&'static str, &'static str)];

/// What a row says, or else the default before it.
const fn last<T: Copy>(said: &[T]) -> T {
    said[said.len() - 1]
}

/// Names that have no effect, by reason: `REASON Kind: names;`
macro_rules! without_effect {
    ($system:ident $owner:ident; $($reason:ident $kind:ident: $($name:literal)+;)*) => {
        &[$($($crate::properties::Property {
            system: $crate::properties::System::$system,
            owner: $crate::properties::Owner::$owner,
            name: $name,
            boot: &[],
            kind: $crate::properties::Kind::$kind,
            default: "",
            chapter: None,
            words: &[],
            fate: $crate::properties::Fate::Without($reason),
        }),+),*]
    };
}
use without_effect;
