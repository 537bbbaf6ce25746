//! Texts whose only aim is to cost much: what each is, and what it ends in.
//!
//! The program `hostile` measures them. What they end in is checked by the tests here, and by those
//! of the crates, which count steps and bytes.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_dmn::{Environment as DmnEnvironment, Model, Options as DmnOptions};
use orloj_expr::{Environment, Expression, Language, Mode, Names};
use orloj_groovy::{Dialect as GroovyDialect, Options as GroovyOptions, Script};
use orloj_timer::{Dialect as TimerDialect, Kind, Schedule, zone};
use orloj_types::{Timestamp, Value};

use crate::world;

/// What reads and runs a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    FeelStandard,
    FeelCamunda,
    Uel,
    Groovy,
    Dmn(orloj_dmn::Mode),
    Timer(TimerDialect, Kind),
}

pub struct Case {
    pub reader: Reader,
    pub name: String,
    pub text: String,
}

/// Variables of hostile size, made once so that they are nobody's cost.
pub struct World {
    variables: BTreeMap<Arc<str>, Value>,
}

/// Firings asked of one schedule.
const FIRINGS: usize = 10;

impl World {
    pub fn new() -> Self {
        let numbers = Value::list((0..1_000).map(Value::Int).collect());
        let long = Value::text("a".repeat(100_000));
        let huge = Value::text("ab".repeat(1 << 20));
        let texts = Value::list((0..1_000).map(|at| Value::text(format!("text {at}"))).collect());
        Self {
            variables: BTreeMap::from([
                ("numbers".into(), numbers),
                ("texts".into(), texts),
                // A word of Groovy.
                ("lengthy".into(), long.clone()),
                ("long".into(), long),
                ("huge".into(), huge),
                ("word".into(), Value::text("0123456789")),
                ("a".into(), Value::Int(1)),
            ]),
        }
    }

    /// Reads the text, or says why it is refused.
    pub fn read(&self, case: &Case) -> Result<Program, String> {
        let refused = |message: String| format!("refused: {message}");
        let expression = |parsed: Result<Expression, orloj_expr::ParseError>| match parsed {
            Ok(expression) => Ok(Program::Expression(expression)),
            Err(error) => Err(refused(error.to_string())),
        };
        let text = &*case.text;
        match case.reader {
            Reader::FeelStandard => {
                expression(Expression::parse_with(Mode::Standard, text, &Names::new()))
            }
            Reader::FeelCamunda => expression(Expression::parse(Language::Feel, text)),
            Reader::Uel => expression(Expression::parse(Language::Uel, text)),
            Reader::Groovy => match Script::parse(text) {
                Ok(script) => Ok(Program::Script(script)),
                Err(diagnostic) => Err(refused(diagnostic.to_string())),
            },
            Reader::Dmn(mode) => {
                let options = DmnOptions { mode, ..DmnOptions::default() };
                Model::parse(text.as_bytes(), &options).map(Program::Model).map_err(|diagnostics| {
                    refused(diagnostics.iter().next().map(ToString::to_string).unwrap_or_default())
                })
            }
            Reader::Timer(dialect, kind) => match Schedule::parse(dialect, kind, text) {
                Ok(schedule) => Ok(Program::Schedule(schedule)),
                Err(error) => Err(refused(error.to_string())),
            },
        }
    }

    /// What running it ends in: an error, or the size of the value.
    pub fn run(&self, program: &Program) -> String {
        match program {
            Program::Expression(expression) => {
                match expression.evaluate(&Environment::new(&self.variables, world::NOW)) {
                    Ok(evaluated) => value_of(&evaluated.value),
                    Err(error) => format!("error: {error}"),
                }
            }
            Program::Script(script) => {
                let options = GroovyOptions::new(GroovyDialect::Camunda7, world::NOW);
                match script.run(&self.variables, options).result {
                    Ok(value) => value_of(&value),
                    Err(failure) => format!("error: {failure}"),
                }
            }
            Program::Model(model) => {
                let environment = DmnEnvironment::new(world::NOW);
                let evaluation = model.evaluate("d", &self.variables, &environment);
                match evaluation.failure() {
                    Some(problem) => format!("error: {}", problem.message),
                    None => value_of(&evaluation.value),
                }
            }
            Program::Schedule(schedule) => {
                let prague = zone("Europe/Prague").expect("a zone of the built-in database");
                let count = schedule.firings(world::NOW, prague.clone()).take(FIRINGS).count();
                let last = schedule.nth(Timestamp::ZERO, u64::MAX, &prague);
                let next = schedule.next_after(world::NOW, &prague);
                format!("value: {count} firings, next {next:?}, last {last:?}")
            }
        }
    }
}

/// A text that was read.
pub enum Program {
    Expression(Expression),
    Script(Script),
    Model(Model),
    Schedule(Schedule),
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

fn value_of(value: &Value) -> String {
    match value {
        Value::List(items) => format!("value: a list of {}", items.len()),
        Value::Map(entries) => format!("value: a context of {}", entries.len()),
        Value::Text(text) => format!("value: a text of {} bytes", text.len()),
        other => format!("value: {}", other.to_json()),
    }
}

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |reader, name: &str, text: String| {
        cases.push(Case { reader, name: name.to_owned(), text });
    };
    for (name, text) in feel() {
        add(Reader::FeelStandard, name, text.clone());
        add(Reader::FeelCamunda, name, text);
    }
    for (name, text) in uel() {
        add(Reader::Uel, name, text);
    }
    for (name, text) in groovy() {
        add(Reader::Groovy, name, text);
    }
    for (name, text) in decisions() {
        add(Reader::Dmn(orloj_dmn::Mode::Standard), name, text.clone());
        add(Reader::Dmn(orloj_dmn::Mode::Camunda7), name, text.clone());
        add(Reader::Dmn(orloj_dmn::Mode::Flowable), name, text);
    }
    for dialect in [TimerDialect::Zeebe, TimerDialect::Camunda7, TimerDialect::Flowable] {
        for text in CYCLES {
            add(Reader::Timer(dialect, Kind::Cycle), text, (*text).to_owned());
        }
        for text in DURATIONS {
            add(Reader::Timer(dialect, Kind::Duration), text, (*text).to_owned());
        }
        add(
            Reader::Timer(dialect, Kind::Cycle),
            "a long list",
            format!("0 0 0 {}1 * ?", "1,".repeat(450)),
        );
        add(Reader::Timer(dialect, Kind::Cycle), "a long text", "0 ".repeat(1 << 20));
        add(Reader::Timer(dialect, Kind::Date), "a long date", "2030-".repeat(1 << 18));
    }
    cases
}

/// `{a0: first, a1: next(a0), …}.aN`
fn chain(first: &str, next: &str, count: usize) -> String {
    let mut text = format!("{{a0: {first}");
    for at in 1..count {
        text.push_str(&format!(", a{at}: {}", next.replace('#', &format!("a{}", at - 1))));
    }
    format!("{text}}}.a{}", count - 1)
}

fn wrapped(open: &str, middle: &str, close: &str, count: usize) -> String {
    format!("{}{middle}{}", open.repeat(count), close.repeat(count))
}

fn feel() -> Vec<(&'static str, String)> {
    let plain = |text: &str| text.to_owned();
    vec![
        ("deep parentheses", wrapped("(", "1", ")", 100_000)),
        ("deep lists", wrapped("[", "1", "]", 100_000)),
        ("deep contexts", wrapped("{a:", "1", "}", 100_000)),
        ("deep negation", wrapped("-", "1", "", 100_000)),
        ("deep conditions", wrapped("if true then ", "1", " else 2", 20_000)),
        ("deep calls", wrapped("not(", "1", ")", 100_000)),
        ("deep functions", wrapped("function() ", "1", "", 100_000)),
        ("deep loops", wrapped("for x in 1..2 return ", "1", "", 100_000)),
        ("deep filters", wrapped("a[", "1", "]", 100_000)),
        ("a long sum", vec!["1"; 100_000].join("+")),
        ("a long conjunction", vec!["true"; 50_000].join(" and ")),
        ("a long list", format!("[{}]", vec!["1"; 100_000].join(","))),
        (
            "a long context",
            format!(
                "{{{}}}",
                (0..20_000).map(|at| format!("k{at}:1")).collect::<Vec<_>>().join(",")
            ),
        ),
        ("a long path", format!("a{}", ".b".repeat(100_000))),
        ("a long name", vec!["word"; 50_000].join(" ")),
        (
            "many names of many words",
            format!(
                "{{{}}}",
                (0..5_000).map(|at| format!("a b c {at}: 1")).collect::<Vec<_>>().join(",")
            ),
        ),
        (
            "many keys, one beginning",
            format!(
                "{{{}, z: a b}}",
                (0..3_000).map(|at| format!("\"a b {at}\": a b")).collect::<Vec<_>>().join(",")
            ),
        ),
        ("a long text", format!("\"{}\"", "x".repeat(1 << 20))),
        ("many comments", "/**/".repeat(250_000)),
        ("a number of many digits", "9".repeat(100_000)),
        ("texts that double", chain("word", "# + #", 60)),
        ("lists that double", chain("[1]", "concatenate(#, #)", 60)),
        ("shared lists", chain("[1]", "[#, #]", 60)),
        (
            "shared lists, compared",
            format!("{{x: {0}, y: {0}, r: x = y}}.r", chain("[1]", "[#, #]", 40)),
        ),
        ("shared lists, as text", format!("string({})", chain("[1]", "[#, #]", 60))),
        ("shared lists, flattened", format!("flatten({})", chain("[1]", "[#, #]", 60))),
        ("shared lists, distinct", format!("distinct values({})", chain("[1]", "[#, #]", 60))),
        ("joins that double", chain("word", "string join([#, #], #)", 60)),
        ("replacements that double", chain("\"ab\"", "replace(#, \".\", #)", 12)),
        (
            "replacements that refer",
            chain("\"ab\"", "replace(#, \"(.+)\", \"$1$1$1$1$1$1$1$1\")", 30),
        ),
        ("upper case that grows", format!("upper case(\"{}\")", "ß".repeat(100_000))),
        (
            "a product of loops",
            plain("for a in 1..99, b in 1..99, c in 1..99, d in 1..99 return 1"),
        ),
        ("a huge range", plain("for i in 1..9000000000000000000 return i")),
        ("a huge range of dates", plain("for d in @\"0001-01-01\"..@\"9999-12-31\" return d")),
        (
            "a huge range, reversed",
            plain("for i in 9000000000000000000..-9000000000000000000 return i"),
        ),
        ("quantifiers", plain("some a in 1..9999, b in 1..9999 satisfies a = -b")),
        ("partial results", plain("for i in 1..100000 return partial")),
        ("partial results, as text", plain("for i in 1..9000 return string(partial)")),
        ("partial results, counted", plain("for i in 1..100000 return count(partial)")),
        ("recursion", plain("{f: function(n) f(n + 1), r: f(0)}.r")),
        (
            "recursion, two each",
            plain("{f: function(n) if n = 0 then 1 else f(n - 1) + f(n - 1), r: f(60)}.r"),
        ),
        (
            "Ackermann",
            plain(
                "{f: function(m, n) if m = 0 then n + 1 else if n = 0 then f(m - 1, 1) else f(m - 1, f(m, n - 1)), r: f(4, 4)}.r",
            ),
        ),
        ("a function of itself", plain("{f: function(g) g(g), r: f(f)}.r")),
        ("a comparator that lies", plain("sort(numbers, function(x, y) true)")),
        (
            "a comparator that costs",
            plain("sort(numbers, function(x, y) count(numbers[item > x]) > y)"),
        ),
        (
            "a comparator that grows",
            plain("sort(numbers, function(x, y) string(numbers) > string(y))"),
        ),
        (
            "filters inside of filters",
            plain("numbers[numbers[numbers[item > 1][1] < item][1] > item]"),
        ),
        ("huge powers", plain("9999999999 ** 9999999999")),
        ("towers of powers", vec!["9"; 190].join(" ** (") + &")".repeat(189)),
        ("many powers", plain("for i in 1..100000 return 1.0000001 ** 999999999")),
        ("many exponentials", plain("count(for i in 1..100000 return exp(i / 7))")),
        ("many logarithms", plain("count(for i in 1..100000 return log(i))")),
        ("many roots", plain("count(for i in 1..100000 return sqrt(i))")),
        ("many divisions", plain("count(for i in 1..100000 return 1 / i)")),
        ("many decimals", plain("count(for i in 1..100000 return decimal(i / 7, 20))")),
        ("a huge scale", plain("decimal(1/3, 999999999)")),
        ("statistics of many", plain("stddev(for i in 1..50000 return i / 7)")),
        ("modes", plain("mode(for i in 1..50000 return i)")),
        ("distinct values", plain("distinct values(for i in 1..50000 return i)")),
        ("unions", plain("union(numbers, numbers, numbers, numbers)")),
        ("duplicates", plain("duplicate values(for i in 1..50000 return i)")),
        ("an index of all", plain("for i in 1..50000 return index of(numbers, i)")),
        ("a list contains all", plain("for i in 1..50000 return list contains(numbers, -1)")),
        ("patterns that backtrack", plain("matches(long, \"(a*)*b\")")),
        ("patterns that backtrack, large", plain("matches(huge, \"(a|b)*c\")")),
        ("patterns, many", plain("for i in 1..99999 return matches(word, \"(a*)*b\" + string(i))")),
        (
            "patterns, many and large",
            plain("for i in 1..99999 return matches(word, \"(\\w{50}){20}\" + string(i))"),
        ),
        (
            "patterns of classes",
            plain("for i in 1..999 return matches(word, \"(\\p{L}|\\p{N}|\\w){40}\" + string(i))"),
        ),
        ("a huge pattern", plain("matches(\"a\", \"((a{99}){99}){99}\")")),
        ("a long pattern", format!("matches(\"a\", \"{}\")", "a?".repeat(50_000))),
        ("a pattern of groups", format!("replace(long, \"{}\", \"x\")", "(a)".repeat(500))),
        (
            "a pattern of alternatives",
            format!(
                "matches(long, \"{}\")",
                (0..5_000).map(|at| format!("a{at}")).collect::<Vec<_>>().join("|")
            ),
        ),
        ("split into characters", plain("split(long, \"\")")),
        ("split by a pattern", plain("split(huge, \"a|b\")")),
        ("extract all", plain("extract(long, \"a\")")),
        (
            "replace all",
            plain("replace(long, \"a\", \"0123456789012345678901234567890123456789\")"),
        ),
        ("replace with captures", plain("replace(long, \"(a)(a)(a)\", \"$3$2$1\")")),
        ("searches to the end, replaced", plain("replace(long, \".*b|a\", \"x\")")),
        ("searches to the end, split", plain("split(long, \".*b|a\")")),
        ("searches to the end, extracted", plain("extract(long, \"(.*)*b|a\")")),
        ("a pattern of a length", plain("matches(long, \"^\\w{1,200}$\")")),
        ("distinct values", plain("distinct values(for i in 1..9000 return i)")),
        ("distinct contexts", plain("distinct values(for i in 1..5000 return {k: i})")),
        (
            "duplicate texts",
            plain("duplicate values(for i in 1..5000 return string(modulo(i, 2500)))"),
        ),
        ("replace, many", plain("for i in 1..99 return replace(long, \"a\", \"b\")")),
        ("long texts, compared", plain("for i in 1..99999 return long = long + \"x\"")),
        (
            "long texts, searched",
            plain("for i in 1..99999 return contains(long, \"aaaaaaaaaaaaaaaaaaaab\")"),
        ),
        ("long texts, cut", plain("for i in 1..99999 return substring(long, 50000)")),
        ("long texts, measured", plain("for i in 1..99999 return string length(long)")),
        ("long texts, in upper case", plain("for i in 1..99999 return upper case(long)")),
        ("long texts, from numbers", plain("for i in 1..99999 return number(long)")),
        ("long dates", plain("for i in 1..99999 return date(long)")),
        ("long durations", format!("duration(\"P{}D\")", "9".repeat(100_000))),
        ("many durations", plain("for i in 1..99999 return @\"P1Y\" * i + @\"P2M\"")),
        (
            "many zones",
            plain(
                "for i in 1..99999 return date and time(\"2030-01-31T09:00:00@Europe/Prague\") + @\"P1D\"",
            ),
        ),
        ("contexts that grow", plain("context merge(for i in 1..50000 return {\"k\": i})")),
        (
            "contexts put",
            chain("{}", "context put(#, \"k\" + string(count(get entries(#))), #)", 2_000),
        ),
        (
            "entries",
            plain("get entries(context(for i in 1..20000 return {key: string(i), value: i}))"),
        ),
        ("insertions", chain("[]", "insert before(concatenate(#, #, [1]), 1, 1)", 60)),
        ("warnings", plain("numbers[item > missing]")),
        ("long warnings", plain("for i in numbers return number(long)")),
        ("a list of functions", chain("function() 1", "function() #()", 5_000)),
        ("tests inside of tests", wrapped("1 in (", "1", ")", 20_000)),
        ("ranges inside of ranges", wrapped("[", "1..2]", "..2]", 20_000)),
        (
            "types inside of types",
            format!("a instance of {}", wrapped("list<", "number", ">", 100_000)),
        ),
        (
            "instance of a large type",
            format!(
                "{} instance of {}",
                chain("[1]", "[#, #]", 40),
                wrapped("list<", "number", ">", 40)
            ),
        ),
        ("repeated appends", plain("for i in 1..3000 return append(numbers, i)")),
        ("a sum of shared lists", format!("sum({})", chain("[1]", "concatenate(#, #)", 17))),
    ]
}

fn uel() -> Vec<(&'static str, String)> {
    let wrap = |text: String| format!("${{{text}}}");
    let plain = |text: &str| format!("${{{text}}}");
    vec![
        ("deep parentheses", wrap(wrapped("(", "1", ")", 100_000))),
        ("deep negation", wrap(wrapped("!", "true", "", 100_000))),
        ("deep choices", wrap(wrapped("true ? ", "1", " : 2", 20_000))),
        ("deep indexes", wrap(wrapped("numbers[", "0", "]", 20_000))),
        ("deep calls", wrap(wrapped("word.concat(", "word", ")", 20_000))),
        ("a long sum", wrap(vec!["1"; 100_000].join("+"))),
        ("a long conjunction", wrap(vec!["true"; 50_000].join("&&"))),
        ("a long path", wrap(format!("a{}", ".b".repeat(100_000)))),
        ("many parts", "${word}".repeat(50_000)),
        ("many parts of a long text", "${long}".repeat(1_000)),
        ("a long text", "x".repeat(1 << 20)),
        ("unclosed", "${".repeat(100_000)),
        ("concatenations", wrap(format!("long{}", ".concat(long)".repeat(200)))),
        (
            "concatenations that double",
            wrap(
                "word".to_owned() + &".replace('0', '0123456789012345678901234567890')".repeat(20),
            ),
        ),
        ("patterns that backtrack", plain("long.matches('(a*)*b')")),
        ("patterns that backtrack, large", plain("huge.matches('(a|b)*c')")),
        ("a huge pattern", plain("word.matches('((a{99}){99}){99}')")),
        ("a long pattern", wrap(format!("word.matches('{}')", "a?".repeat(50_000)))),
        (
            "many patterns",
            wrap(
                (0..2_000)
                    .map(|at| format!("word.matches('(a*)*b{at}')"))
                    .collect::<Vec<_>>()
                    .join("||"),
            ),
        ),
        (
            "many large patterns",
            wrap(
                (0..200)
                    .map(|at| format!("word.matches('(\\\\w{{50}}){{20}}{at}')"))
                    .collect::<Vec<_>>()
                    .join("||"),
            ),
        ),
        ("replacements", plain("long.replaceAll('a', '0123456789012345678901234567890123456789')")),
        (
            "replacements that refer",
            wrap("long".to_owned() + &".replaceAll('(.+)', '$1$1$1$1')".repeat(20)),
        ),
        ("splits", plain("huge.split('a')")),
        ("searches to the end, replaced", plain("long.replaceAll('.*b|a', 'x')")),
        ("searches to the end, split", plain("long.split('.*b|a')")),
        (
            "a group, a thousand times",
            wrap(format!("long.replaceAll('(a+)', '{}')", "$1".repeat(1_000))),
        ),
        ("repeats", plain("word.repeat(2000000000)")),
        ("repeats of repeats", plain("word.repeat(1000).repeat(1000).repeat(1000)")),
        ("upper case, many", wrap(vec!["long.toUpperCase()"; 200].join(" += "))),
        ("searches", wrap(vec!["long.contains('aaaaaaaaaaaaab')"; 2_000].join("||"))),
        ("lists as texts", wrap(vec!["numbers.toString()"; 500].join(" += "))),
        ("lists that contain", wrap(vec!["numbers.contains(-1)"; 2_000].join("||"))),
        ("large numbers", wrap(vec!["9999999999999999999"; 20_000].join("*"))),
        ("large fractions", wrap(vec!["1.0000000000000001"; 20_000].join("*"))),
        ("exponents", plain("1e308 * 1e308 / 1e-308")),
        ("many digits", wrap("9".repeat(100_000))),
        ("JSON", plain("S(huge)")),
        ("nested JSON", wrap(format!("S('{}{}')", "[".repeat(100_000), "]".repeat(100_000)))),
        ("dates far away", plain("dateTime().plusYears(2000000000).plusYears(2000000000)")),
        ("variables, many", plain("variables:contains(texts, 'a', 'b', 'c')")),
        ("formats", plain("String.format('%2000000000d', 1)")),
    ]
}

fn groovy() -> Vec<(&'static str, String)> {
    let plain = |text: &str| text.to_owned();
    vec![
        ("endless loop", plain("while (true) { }")),
        ("endless loop with work", plain("def x = 0; while (true) { x = x + 1.5 }")),
        ("loops inside of loops", plain("(1..100000).each { a -> (1..100000).each { b -> a } }")),
        ("a huge range", plain("for (i in 0..2000000000) { }")),
        ("a huge range, as list", plain("(0..2000000000).toList()")),
        ("a product of lists", plain("[(1..99), (1..99), (1..99), (1..99)].combinations()")),
        ("permutations", plain("(1..20).toList().permutations()")),
        ("subsequences", plain("(1..30).toList().subsequences()")),
        ("recursion", plain("def f(n) { f(n + 1) }; f(0)")),
        ("recursion, two each", plain("def f(n) { n == 0 ? 1 : f(n - 1) + f(n - 1) }; f(60)")),
        ("a closure of itself", plain("def c; c = { c() }; c()")),
        ("texts that double", plain("def s = 'ab'; while (true) { s = s + s }")),
        ("GStrings that double", plain("def s = 'ab'; while (true) { s = \"$s$s\" }")),
        ("lists that double", plain("def l = [1]; while (true) { l = l + l }")),
        ("shared lists", plain("def l = [1]; 60.times { l = [l, l] }; l")),
        ("shared lists, as text", plain("def l = [1]; 60.times { l = [l, l] }; l.toString()")),
        (
            "shared lists, compared",
            plain("def l = [1]; def m = [1]; 60.times { l = [l, l]; m = [m, m] }; l == m"),
        ),
        ("shared lists, flattened", plain("def l = [1]; 60.times { l = [l, l] }; l.flatten()")),
        ("a list in itself", plain("def l = []; l << l; l.toString()")),
        ("maps that grow", plain("def m = [:]; while (true) { m[m.size()] = m.size() }")),
        ("a huge text", plain("'a' * 2000000000")),
        ("padding", plain("'a'.padLeft(2000000000)")),
        ("a huge array", plain("new int[2000000000]")),
        ("a far index", plain("def l = []; l[2000000000] = 1")),
        (
            "a builder that doubles",
            plain("def s = new StringBuilder('ab'); while (true) { s.append(s) }"),
        ),
        ("formats", plain("String.format('%2000000000d', 1)")),
        ("huge powers", plain("9999999999 ** 9999999")),
        ("huge powers of integers", plain("def x = 99999G; while (true) { x = x * x }")),
        ("huge powers of decimals", plain("def x = 1.23456789; while (true) { x = x * x }")),
        ("powers of decimals", plain("1.0000001 ** 99999999")),
        ("factorials", plain("def f = 1G; for (i in 1..100000) { f = f * i }; f")),
        ("shifts", plain("1G << 2000000000")),
        ("a comparator that lies", plain("(1..5000).toList().sort { a, b -> 1 }")),
        ("a comparator that costs", plain("(1..5000).toList().sort { a, b -> numbers.sum() }")),
        ("sums", plain("def l = (1..20000).toList(); l.collect { l.sum() }")),
        ("searches", plain("def l = (1..20000).toList(); l.collect { l.indexOf(it) }")),
        ("groups", plain("(1..100000).groupBy { it }")),
        ("patterns that backtrack", plain("lengthy ==~ /(a*)*b/")),
        ("patterns that backtrack, large", plain("huge ==~ /(a|b)*c/")),
        ("a huge pattern", plain("'a' ==~ /((a{99}){99}){99}/")),
        ("many patterns", plain("for (i in 0..99999) { 'word' ==~ \"(a*)*b$i\" }")),
        ("many large patterns", plain("for (i in 0..99999) { 'word' ==~ \"(\\\\w{50}){20}$i\" }")),
        (
            "replacements that double",
            plain("def s = 'ab'; while (true) { s = s.replaceAll('.', s) }"),
        ),
        (
            "replacements that refer",
            plain("def s = 'ab'; while (true) { s = s.replaceAll('(.+)', '$1$1') }"),
        ),
        (
            "a group, a thousand times",
            format!("lengthy.replaceAll('(a+)', '{}')", "$1".repeat(1_000)),
        ),
        ("searches to the end, replaced", plain("lengthy.replaceAll('.*b|a', 'x')")),
        ("searches to the end, split", plain("lengthy.split('.*b|a')")),
        ("searches to the end, found", plain("lengthy.findAll('(.*)*b|a')")),
        (
            "searches to the end, one by one",
            plain("def m = lengthy =~ /.*b|a/; while (m.find()) { }"),
        ),
        ("a large pattern, whole", plain("lengthy ==~ /(a|b|\\p{L}){40}.*/")),
        ("long texts, replaced", plain("while (true) { lengthy.replaceAll('a', 'b') }")),
        ("long texts, compared", plain("while (true) { lengthy == lengthy + 'x' }")),
        ("long texts, split", plain("while (true) { huge.split('a') }")),
        ("long texts, tokenized", plain("while (true) { lengthy.toList() }")),
        ("long texts, searched", plain("while (true) { lengthy.contains('aaaaaaaaaaab') }")),
        ("long texts, in upper case", plain("while (true) { lengthy.toUpperCase() }")),
        ("long texts, reversed", plain("while (true) { lengthy.reverse() }")),
        ("lines", plain("while (true) { println lengthy }")),
        (
            "catching the limit",
            plain("while (true) { try { while (true) { } } catch (Throwable t) { } }"),
        ),
        ("finally", plain("try { while (true) { } } finally { while (true) { } }")),
        (
            "exceptions",
            plain("while (true) { try { throw new RuntimeException(lengthy) } catch (e) { } }"),
        ),
        ("dates", plain("while (true) { new Date().format('yyyy-MM-dd') }")),
        (
            "variables",
            plain("while (true) { execution.setVariable('x' + System.nanoTime(), lengthy) }"),
        ),
        (
            "variables set",
            plain("def i = 0; while (true) { i = i + 1; execution.setVariable('x' + i, lengthy) }"),
        ),
        ("JSON", plain("new groovy.json.JsonSlurper().parseText(huge)")),
        ("deep parentheses", wrapped("(", "1", ")", 100_000)),
        ("deep lists", wrapped("[", "1", "]", 100_000)),
        ("deep blocks", wrapped("if (true) { ", "1", " }", 20_000)),
        ("deep GStrings", wrapped("\"${", "1", "}\"", 20_000)),
        ("a lengthy sum", vec!["1"; 100_000].join("+")),
        ("many statements", "def x = 1\n".repeat(50_000)),
        ("many assignments", "x = 1\n".repeat(100_000)),
        ("a lengthy list", format!("[{}]", vec!["1"; 100_000].join(","))),
        ("a lengthy text", format!("'{}'", "x".repeat(500_000))),
    ]
}

fn decisions() -> Vec<(&'static str, String)> {
    let file = |body: &str| {
        format!(
            r#"<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="x" name="x" namespace="n">{body}</definitions>"#
        )
    };
    let literal = |text: &str| {
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        format!("<literalExpression><text>{text}</text></literalExpression>")
    };
    let decision = |id: &str, needs: &str, logic: &str| {
        let needs = match needs {
            "" => String::new(),
            needs => format!(
                r##"<informationRequirement><requiredDecision href="#{needs}"/></informationRequirement>"##
            ),
        };
        format!(
            r#"<decision id="{id}" name="{id}"><variable name="{id}"/>{needs}{logic}</decision>"#
        )
    };
    let chain = |first: &str, next: &str, count: usize| {
        let mut body = decision("e0", "", &literal(first));
        for at in 1..count {
            let before = format!("e{}", at - 1);
            body += &decision(&format!("e{at}"), &before, &literal(&next.replace('#', &before)));
        }
        let last = format!("e{}", count - 1);
        file(&(body + &decision("d", &last, &literal(&last))))
    };
    let table = |policy: &str, input: &str, cell: &str, output: &str, rules: usize| {
        let rule = format!(
            "<rule><inputEntry><text>{cell}</text></inputEntry><outputEntry><text>{output}</text></outputEntry></rule>"
        );
        file(&decision(
            "d",
            "",
            &format!(
                r#"<decisionTable hitPolicy="{policy}"><input><inputExpression><text>{input}</text></inputExpression></input><output name="o"/>{}</decisionTable>"#,
                rule.repeat(rules)
            ),
        ))
    };
    vec![
        ("texts that double", chain("word", "# + #", 60)),
        ("lists that double", chain("[1]", "[#, #]", 60)),
        ("lists that nest", chain("[1]", "[#]", 1_000)),
        (
            "an endless loop",
            file(&decision("d", "", &literal("for i in 1..9000000000000 return i"))),
        ),
        ("many loops", chain("1", "count(for i in 1..20000 return i)", 50)),
        (
            "a knowledge model of itself",
            file(
                r##"<businessKnowledgeModel id="k" name="k"><encapsulatedLogic><formalParameter name="n"/><literalExpression><text>k(n + 1)</text></literalExpression></encapsulatedLogic></businessKnowledgeModel><decision id="d" name="d"><knowledgeRequirement><requiredKnowledge href="#k"/></knowledgeRequirement><literalExpression><text>k(1)</text></literalExpression></decision>"##,
            ),
        ),
        ("costly cells", table("COLLECT", "numbers", "count(numbers[item > 1]) > 1", "1", 500)),
        ("costly input", table("COLLECT", "count(for i in 1..100000 return i)", "-", "1", 10)),
        ("many rules", table("COLLECT", "a", "1", "1", 5_000)),
        ("many outputs", table("COLLECT", "a", "1", "long", 2_000)),
        ("patterns", table("COLLECT", "long", "matches(?, \"(a*)*b\")", "1", 200)),
        ("deep boxes", file(&decision("d", "", &wrapped("<list>", "", "</list>", 100_000)))),
        (
            "many attributes",
            file(&format!(
                "<decision {}/>",
                (0..50_000).map(|at| format!("a{at}=\"1\"")).collect::<Vec<_>>().join(" ")
            )),
        ),
        (
            "entities",
            format!("<!DOCTYPE a [<!ENTITY b \"{}\">]>{}", "c".repeat(1_000), file("&b;")),
        ),
        (
            "nothing but names",
            file(
                &(0..2_000)
                    .map(|at| decision(&format!("n {at}").replace(' ', "_"), "", &literal("1")))
                    .collect::<String>(),
            ),
        ),
    ]
}

const CYCLES: &[&str] = &[
    "0 0 0 30 2 ?",
    "0 0 0 30 2 *",
    "0 0 0 31 2,4,6,9,11 ?",
    "0 0 0 29 2 ? 2001-2099/4",
    "0 0 0 29 2 ? 2099",
    "59 59 23 31 12 ? 2099",
    "0 30 2 ? 3 1L",
    "0 0 0 31W 2 ?",
    "0 0 0 L-30 2 ?",
    "0 0 0 ? 2 1#5",
    "0 0 0 29 2 2#5",
    "* * * * * *",
    "0-59/1 0-59/1 0-23/1 1-31/1 1-12/1 *",
    "0/2147483647 * * * * *",
    "R1000000000/PT1S",
    "R1000000000/P1M",
    "R2147483647/2000-01-31T00:00:00Z/P1M",
    "R/1970-01-01T00:00:00Z/PT0.001S",
    "R/1970-01-01T00:00:00Z/PT1S",
    "R/0001-01-01T00:00:00Z/PT1S",
    "R/PT0S",
    "R99999999999999999999/PT1S",
    "R/P99999999999999999999Y",
    "R/2030-01-01T00:00:00Z/-P1D",
    "R-1/PT1S",
];

const DURATIONS: &[&str] = &[
    "P999999999Y",
    "P99999999999999999999D",
    "PT9223372036854775807S",
    "PT0.0000000000000000000000000001S",
    "-P999999999Y",
];

#[cfg(test)]
mod tests {
    use super::*;

    /// An error names what was used up, or what is not taken; a value is small.
    #[test]
    fn every_case_ends() {
        let world = World::new();
        let limits =
            ["steps", "levels", "bytes", "deep", "large", "long", "more than", "budget", "beyond"];
        let not_taken = ["there is no", "No signature", "not supported", "Invalid JSON"];
        let mut unnamed = Vec::new();
        for case in cases() {
            let outcome = match world.read(&case) {
                Ok(program) => world.run(&program),
                Err(refusal) => refusal,
            };
            let is_named = limits.iter().chain(&not_taken).any(|name| outcome.contains(name));
            if outcome.starts_with("error") && !is_named {
                unnamed.push(format!("{:?}, {}: {outcome}", case.reader, case.name));
            }
        }
        assert!(unnamed.is_empty(), "{}", unnamed.join("\n"));
    }
}
