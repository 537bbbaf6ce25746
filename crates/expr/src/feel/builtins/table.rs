//! Which functions there are, and how they are called.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use orloj_types::{Function, Value};

use super::super::closure::BuiltinValue;
use super::super::mode::Mode;
use super::super::names::match_pieces;
use super::super::session::{Outcome, Session};
use super::{camunda, contexts, conversions, dates, lists, numbers, ranges, statistics, texts};

type Run = fn(&mut Session<'_>, &[Value]) -> Outcome;

/// A function that every expression can call.
pub struct Builtin {
    pub name: &'static str,
    /// The parameters of each form. `?` ends the name of one that may be left out, `*` that of one
    /// that may come more than once, `!` that of one that is no list when it is given by name.
    pub signatures: &'static [&'static [&'static str]],
    only: Option<Mode>,
    pub(in super::super) run: Run,
    /// Null is a usual answer, which needs no warning.
    pub(in super::super) gives_null: bool,
}

const fn both(
    name: &'static str,
    signatures: &'static [&'static [&'static str]],
    run: Run,
) -> Builtin {
    Builtin { name, signatures, only: None, run, gives_null: false }
}

const fn camunda(
    name: &'static str,
    signatures: &'static [&'static [&'static str]],
    run: Run,
) -> Builtin {
    Builtin { name, signatures, only: Some(Mode::Camunda8), run, gives_null: false }
}

const fn standard(
    name: &'static str,
    signatures: &'static [&'static [&'static str]],
    run: Run,
) -> Builtin {
    Builtin { name, signatures, only: Some(Mode::Standard), run, gives_null: false }
}

const fn or_null(builtin: Builtin) -> Builtin {
    Builtin { gives_null: true, ..builtin }
}

const ALL: &[Builtin] = &[
    // Conversion.
    both("date", &[&["from"], &["year", "month", "day"]], conversions::date),
    both("time", &[&["from"], &["hour", "minute", "second", "offset?"]], conversions::time),
    standard("date and time", &[&["from"], &["date", "time"]], conversions::date_and_time),
    camunda(
        "date and time",
        &[&["from"], &["date", "time"], &["date", "timezone"]],
        conversions::date_and_time,
    ),
    both(
        "number",
        &[&["from"], &["from", "grouping separator", "decimal separator?"]],
        conversions::number,
    ),
    both("string", &[&["from"]], conversions::string),
    both("duration", &[&["from"]], conversions::duration),
    both("years and months duration", &[&["from", "to"]], conversions::years_and_months_duration),
    standard("range", &[&["from"]], ranges::range),
    both("not", &[&["negand"]], texts::not),
    // Texts.
    both("substring", &[&["string", "start position", "length?"]], texts::substring),
    both("string length", &[&["string"]], texts::string_length),
    both("upper case", &[&["string"]], texts::upper_case),
    both("lower case", &[&["string"]], texts::lower_case),
    both("substring before", &[&["string", "match"]], texts::substring_before),
    both("substring after", &[&["string", "match"]], texts::substring_after),
    both("replace", &[&["input", "pattern", "replacement", "flags?"]], texts::replace),
    both("contains", &[&["string", "match"]], texts::contains),
    both("starts with", &[&["string", "match"]], texts::starts_with),
    both("ends with", &[&["string", "match"]], texts::ends_with),
    both("matches", &[&["input", "pattern", "flags?"]], texts::matches),
    both("split", &[&["string", "delimiter"]], texts::split),
    standard("string join", &[&["list", "delimiter?"]], texts::string_join),
    camunda(
        "string join",
        &[&["list", "delimiter?"], &["list", "delimiter", "prefix", "suffix"]],
        texts::string_join,
    ),
    camunda("trim", &[&["string"]], camunda::trim),
    camunda("extract", &[&["string", "pattern"]], camunda::extract),
    camunda("is blank", &[&["string"]], camunda::is_blank),
    camunda("to base64", &[&["value"]], camunda::to_base64),
    // Lists.
    both("list contains", &[&["list", "element"]], lists::list_contains),
    both("count", &[&["list"], &["list*"]], lists::count),
    both("min", &[&["list"], &["list*"]], statistics::min),
    both("max", &[&["list"], &["list*"]], statistics::max),
    both("sum", &[&["list"], &["list*"]], statistics::sum),
    both("mean", &[&["list"], &["list*"]], statistics::mean),
    both("all", &[&["list"], &["list*"]], statistics::all),
    both("any", &[&["list"], &["list*"]], statistics::any),
    both("and", &[&["list"], &["list*"]], statistics::all),
    both("or", &[&["list"], &["list*"]], statistics::any),
    both("product", &[&["list"], &["list*"]], statistics::product),
    both("median", &[&["list"], &["list*"]], statistics::median),
    both("stddev", &[&["list"], &["list*"]], statistics::stddev),
    both("mode", &[&["list"], &["list*"]], statistics::mode),
    both("sublist", &[&["list", "start position", "length?"]], lists::sublist),
    standard("append", &[&["list", "item*"]], lists::append),
    camunda("append", &[&["list", "item", "items*"]], lists::append),
    both("concatenate", &[&["list*"], &["lists*"]], lists::concatenate),
    both("insert before", &[&["list", "position", "newItem"]], lists::insert_before),
    both("remove", &[&["list", "position"]], lists::remove),
    both("reverse", &[&["list"]], lists::reverse),
    both("index of", &[&["list", "match"]], lists::index_of),
    both("union", &[&["list*"], &["lists*"]], lists::union),
    both("distinct values", &[&["list"]], lists::distinct_values),
    both("flatten", &[&["list"]], lists::flatten),
    standard("sort", &[&["list", "precedes?"]], lists::sort),
    camunda("sort", &[&["list", "precedes"]], lists::sort),
    standard(
        "list replace",
        &[&["list", "position", "newItem"], &["list", "match", "newItem"]],
        lists::list_replace,
    ),
    camunda("duplicate values", &[&["list"]], lists::duplicate_values),
    camunda("is empty", &[&["list"]], lists::is_empty),
    camunda("partition", &[&["list", "size"]], lists::partition),
    // Numbers.
    both("decimal", &[&["n", "scale"]], numbers::decimal),
    both("floor", &[&["n", "scale?"]], numbers::floor),
    both("ceiling", &[&["n", "scale?"]], numbers::ceiling),
    both("round up", &[&["n", "scale"]], numbers::round_up),
    both("round down", &[&["n", "scale"]], numbers::round_down),
    both("round half up", &[&["n", "scale"]], numbers::round_half_up),
    both("round half down", &[&["n", "scale"]], numbers::round_half_down),
    standard("abs", &[&["n"]], numbers::abs),
    camunda("abs", &[&["number"], &["n"]], numbers::abs),
    both("modulo", &[&["dividend", "divisor"]], numbers::modulo),
    both("sqrt", &[&["number"]], numbers::sqrt),
    both("log", &[&["number"]], numbers::log),
    both("exp", &[&["number"]], numbers::exp),
    both("odd", &[&["number"]], numbers::odd),
    both("even", &[&["number"]], numbers::even),
    camunda("random number", &[&[]], camunda::random_number),
    // Dates.
    both("day of year", &[&["date"]], dates::day_of_year),
    both("day of week", &[&["date"]], dates::day_of_week),
    both("month of year", &[&["date"]], dates::month_of_year),
    both("week of year", &[&["date"]], dates::week_of_year),
    both("now", &[&[]], dates::now),
    both("today", &[&[]], dates::today),
    camunda("last day of month", &[&["date"]], dates::last_day_of_month),
    standard("is", &[&["value1?", "value2?"]], dates::is),
    // Ranges.
    both(
        "before",
        &[&["point1", "point2"], &["point", "range"], &["range", "point"], &["range1", "range2"]],
        ranges::before,
    ),
    both(
        "after",
        &[&["point1", "point2"], &["point", "range"], &["range", "point"], &["range1", "range2"]],
        ranges::after,
    ),
    both("meets", &[&["range1", "range2"]], ranges::meets),
    both("met by", &[&["range1", "range2"]], ranges::met_by),
    both("overlaps", &[&["range1", "range2"]], ranges::overlaps),
    both("overlaps before", &[&["range1", "range2"]], ranges::overlaps_before),
    both("overlaps after", &[&["range1", "range2"]], ranges::overlaps_after),
    both("finishes", &[&["point", "range"], &["range1", "range2"]], ranges::finishes),
    both("finished by", &[&["range", "point"], &["range1", "range2"]], ranges::finished_by),
    both("includes", &[&["range", "point"], &["range1", "range2"]], ranges::includes),
    both("during", &[&["point", "range"], &["range1", "range2"]], ranges::during),
    both("starts", &[&["point", "range"], &["range1", "range2"]], ranges::starts),
    both("started by", &[&["range", "point"], &["range1", "range2"]], ranges::started_by),
    both("coincides", &[&["point1", "point2"], &["range1", "range2"]], ranges::coincides),
    // Contexts.
    or_null(both(
        "get value",
        &[&["m", "key"], &["context", "key"], &["context", "keys"]],
        contexts::get_value,
    )),
    both("get entries", &[&["m"], &["context"]], contexts::get_entries),
    both("context", &[&["entries"]], contexts::context),
    both(
        "context put",
        &[&["context", "key!", "value"], &["context", "keys", "value"]],
        contexts::context_put,
    ),
    both("context merge", &[&["contexts"], &["contexts*"]], contexts::context_merge),
    camunda(
        "put",
        &[&["context", "key", "value"], &["context", "keys", "value"]],
        contexts::context_put,
    ),
    camunda("put all", &[&["contexts*"]], contexts::context_merge),
    // Camunda's own.
    camunda("is defined", &[&["value"]], camunda::is_defined),
    or_null(camunda("get or else", &[&["value", "default"]], camunda::get_or_else)),
    or_null(camunda("assert", &[&["value", "condition", "cause?"]], camunda::assert)),
    or_null(camunda(
        "fromAi",
        &[&["value", "description?", "type?", "schema?", "options?"]],
        camunda::from_ai,
    )),
    camunda("cycle", &[&["interval"], &["repetitions", "interval"]], camunda::cycle),
    camunda("uuid", &[&[]], camunda::uuid),
];

static BY_NAME: LazyLock<HashMap<(&'static str, Mode), &'static Builtin>> = LazyLock::new(|| {
    let mut by_name = HashMap::new();
    for builtin in ALL {
        for mode in [Mode::Standard, Mode::Camunda8] {
            if builtin.only.is_none_or(|only| only == mode) {
                by_name.insert((builtin.name, mode), builtin);
            }
        }
    }
    by_name
});

/// Functions with several words in their names, by the first one, longest first.
static OF_WORDS: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let mut of_words: HashMap<&str, Vec<&str>> = HashMap::new();
    for builtin in ALL {
        if let Some((first, _)) = builtin.name.split_once(' ') {
            of_words.entry(first).or_default().push(builtin.name);
        }
    }
    for names in of_words.values_mut() {
        names.sort_by_key(|name| std::cmp::Reverse(name.split(' ').count()));
        names.dedup();
    }
    of_words
});

/// All functions that expressions of a mode can call.
pub fn all(mode: Mode) -> impl Iterator<Item = &'static Builtin> {
    ALL.iter().filter(move |builtin| builtin.only.is_none_or(|only| only == mode))
}

pub(in super::super) fn named(name: &str, mode: Mode) -> Option<&'static Builtin> {
    BY_NAME.get(&(name, mode)).copied()
}

/// The function of several words that `text` calls, `first` being its first word, and its bytes.
pub(in super::super) fn of_words(
    text: &str,
    first: &str,
    mode: Mode,
) -> Option<(&'static Builtin, usize)> {
    OF_WORDS.get(first)?.iter().find_map(|name| {
        let length = match_pieces(text, name.split(' '))?;
        let called = text[length..].trim_start_matches(super::super::lexer::is_blank);
        called.starts_with('(').then_some(())?;
        Some((named(name, mode)?, length))
    })
}

/// Whether a function of several words begins with this one.
pub(in super::super) fn first_words(first: &str) -> Option<&'static [&'static str]> {
    OF_WORDS.get(first).map(|names| &names[..])
}

pub(in super::super) fn as_value(builtin: &'static Builtin) -> Value {
    let names = builtin.signatures.first().map_or(&[][..], |names| names);
    let parameters = names.iter().map(|name| Arc::from(plain(name))).collect();
    Value::Function(Function(Arc::new(BuiltinValue { builtin, parameters })))
}

impl Builtin {
    pub(in super::super) fn takes(&self, count: usize) -> bool {
        self.signatures.iter().any(|names| {
            let needed = names.iter().filter(|name| is_needed(name)).count();
            // What comes more than once comes at least once where nothing else does.
            let needed = needed.max(usize::from(names.first().is_some_and(|n| n.ends_with('*'))));
            let repeats = names.last().is_some_and(|name| name.ends_with('*'));
            count >= needed && (repeats || count <= names.len())
        })
    }

    /// Named arguments in the order of the parameters of the form that has these names.
    pub(in super::super) fn arranged(&self, given: Vec<(Arc<str>, Value)>) -> Option<Vec<Value>> {
        let names = self.signatures.iter().find(|names| {
            given.iter().all(|(name, value)| {
                names.iter().any(|other| {
                    let fits = !other.ends_with('!') || !matches!(value, Value::List(_));
                    plain(other) == &**name && fits
                })
            }) && names
                .iter()
                .filter(|name| is_needed(name))
                .all(|name| given.iter().filter(|(other, _)| &**other == plain(name)).count() == 1)
        })?;
        let position =
            |name: &Arc<str>| names.iter().position(|other| plain(other) == &**name).unwrap_or(0);
        let last = given.iter().map(|(name, _)| position(name)).max();
        let mut values = vec![Value::Null; last.map_or(0, |last| last + 1)];
        for (name, value) in given {
            values[position(&name)] = value;
        }
        Some(values)
    }
}

fn is_needed(name: &str) -> bool {
    !name.ends_with(['?', '*'])
}

fn plain(name: &str) -> &str {
    name.trim_end_matches(['?', '*', '!'])
}

impl fmt::Debug for Builtin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Builtin({})", self.name)
    }
}
