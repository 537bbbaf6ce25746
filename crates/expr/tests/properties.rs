//! Nothing panics, and printing keeps the meaning.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_expr::{
    Environment, Expression, Language, Mode, Names, print, static_value, zeebe_expression,
};
use orloj_types::{Date, Document, Temporal, Timestamp, Value};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

fn scope() -> Document {
    Document::parse(
        r#"{"a": 1, "b": 2.5, "c": "text", "d": true, "e": null, "f": [1, 2, 3],
            "g": {"a": 7, "b": {"c": [1]}}, "item": 3}"#,
    )
    .expect("JSON")
}

/// Value or error, without the offsets, which printing moves.
fn outcome(expression: &Expression) -> String {
    let scope = scope();
    match expression.evaluate(&Environment::new(&scope, Timestamp::ZERO)) {
        Ok(evaluated) => evaluated.value.to_json(),
        Err(error) => error.message(),
    }
}

fn parse_print_parse(language: Language, text: &str) {
    let first = Expression::parse(language, text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let printed = print(&first);
    let second = Expression::parse(language, &printed)
        .unwrap_or_else(|error| panic!("{text} was printed as {printed}: {error}"));
    assert_eq!(print(&second), printed, "{text}");
    assert_eq!(outcome(&second), outcome(&first), "{text} was printed as {printed}");
}

fn survives(language: Language, text: &str) {
    if let Ok(expression) = Expression::parse(language, text) {
        outcome(&expression);
        parse_print_parse(language, text);
    }
}

const FEEL_PIECES: &[&str] = &[
    "a",
    "b",
    "c",
    "d",
    "e",
    "f",
    "g",
    "item",
    "missing",
    "`odd name`",
    "1",
    "0",
    "2.5",
    ".5",
    "99999999999999999999",
    "\"x\"",
    "\"\\n\\d\\\"\"",
    "true",
    "false",
    "null",
    "+",
    "-",
    "*",
    "/",
    "**",
    "=",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "and",
    "or",
    "not(",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "a:",
    ",",
    ".",
    "..",
    "if",
    "then",
    "else",
    "in",
    "between",
    "?",
    "@",
    "//",
    "/*",
    "*/",
    "for",
    "é",
    "instance",
    "of",
    "x in",
    "return",
    "some",
    "every",
    "satisfies",
    "function(",
    "partial",
    "number",
    "list<",
    "context",
    "->",
    "@\"P1D\"",
    "@\"2020-02-29\"",
    "date and time(",
    "count(",
    "string(",
    "get or else(",
    "sort(",
    "b:",
    "'",
    "external",
];

const UEL_PIECES: &[&str] = &[
    "${", "#{", "}", "\\", "$", "a", "b", "c", "d", "e", "f", "g", "missing", "1", "0", "2.5",
    ".5", "1e3", "'x'", "\"x\"", "'\\\\'", "true", "false", "null", "+", "-", "*", "/", "%", "div",
    "mod", "==", "!=", "<", "<=", ">", ">=", "eq", "ne", "lt", "&&", "||", "!", "and", "or", "not",
    "empty", "(", ")", "[", "]", ".", "?", ":", ",", " text ", "é",
];

/// FEEL of the grammar, with blanks and parentheses at random.
fn feel() -> impl Strategy<Value = String> {
    let leaf = select(vec![
        "a",
        "b",
        "c",
        "d",
        "e",
        "f",
        "g",
        "missing",
        "1",
        "0.5",
        "12",
        "\"x\"",
        "\"\"",
        "true",
        "null",
        "[]",
        "{}",
        "`odd name`",
        "007",
        "@\"2020-02-29\"",
        "@\"10:11:12@Europe/Prague\"",
        "@\"P1Y2M\"",
        "?",
        "item",
        "partial",
        "`for`",
        "`date`",
        "now()",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(6, 60, 4, |inner| {
        let operator = select(vec!["+", "-", "*", "/", "**", " and ", " or "]);
        let comparison = select(vec!["=", "!=", "<", "<=", ">", ">="]);
        let bracket = (select(vec!["[", "(", "]"]), select(vec!["]", ")", "["]));
        prop_oneof![
            (inner.clone(), operator, inner.clone()).prop_map(|(a, o, b)| format!("{a} {o} ({b})")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("({a}) + ({b}) * ({c})")),
            (inner.clone(), comparison.clone(), inner.clone())
                .prop_map(|(a, o, b)| format!("({a}) {o} ({b})")),
            inner.clone().prop_map(|a| format!("-({a})")),
            inner.clone().prop_map(|a| format!("not({a})")),
            inner.clone().prop_map(|a| format!("({a})")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("if {a} then {b} else {c}")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("({a}) between ({b}) and ({c})")),
            (inner.clone(), vec(inner.clone(), 1..3))
                .prop_map(|(a, tests)| format!("({a}) in (({}))", tests.join("), ("))),
            (inner.clone(), comparison, inner.clone()).prop_filter_map(
                "not a test",
                |(a, o, b)| (!o.contains('=') || o.len() == 2 && o != "!=")
                    .then(|| format!("({a}) in {o} ({b})"))
            ),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}) in {b}")),
            (inner.clone(), bracket, inner.clone(), inner.clone())
                .prop_map(|(a, (open, close), b, c)| format!("({a}) in {open}({b})..({c}){close}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})[{b}]")),
            inner.clone().prop_map(|a| format!("({a}).b.c")),
            (bracket_pair(), inner.clone(), inner.clone())
                .prop_map(|((open, close), a, b)| format!("{open}({a})..({b}){close}")),
            (select(vec!["<", "<=", ">", ">="]), inner.clone())
                .prop_map(|(o, a)| format!("({o} ({a}))")),
            (inner.clone(), inner.clone())
                .prop_map(|(a, b)| format!("for x in ({a}), y in 1..2 return {b}")),
            (select(vec!["some", "every"]), inner.clone(), inner.clone())
                .prop_map(|(word, a, b)| format!("{word} x in ({a}) satisfies {b}")),
            (inner.clone(), select(TYPES)).prop_map(|(a, of)| format!("({a}) instance of {of}")),
            inner.clone().prop_map(|a| format!("{{f: function(x, y: number) {a}, r: f(1, 2)}}.r")),
            (select(FUNCTIONS), vec(inner.clone(), 0..4))
                .prop_map(|(name, given)| format!("{name}({})", given.join(", "))),
            inner.clone().prop_map(|a| format!("string length(string: {a})")),
            inner.clone().prop_map(|a| format!("date and time({a}).time offset")),
            vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(", "))),
            vec(inner, 0..4).prop_map(|values| {
                let keys = ["a", "\"b c\"", "x y", "`q`"];
                let entries: Vec<_> =
                    keys.iter().zip(values).map(|(key, value)| format!("{key}: {value}")).collect();
                format!("{{{}}}", entries.join(", "))
            }),
        ]
    })
}

const TYPES: &[&str] = &[
    "number",
    "string",
    "Any",
    "date and time",
    "years and months duration",
    "list<number>",
    "context<a: number, `b c`: list<Any>>",
    "function<number, string> -> Any",
    "range<date>",
    "tUnknown",
    "`a.b`",
];

const FUNCTIONS: &[&str] = &[
    "count",
    "string",
    "not",
    "and",
    "or",
    "substring before",
    "years and months duration",
    "get or else",
    "list contains",
    "no such function",
    "f",
];

fn bracket_pair() -> impl Strategy<Value = (&'static str, &'static str)> {
    (select(vec!["[", "(", "]"]), select(vec!["]", ")", "["]))
}

/// Names that look like expressions, so that only parentheses tell a text from one of them.
const ODD_NAMES: &[&str] = &[
    "a-b",
    "a + 1",
    "b.c",
    "c and d",
    "d ** a",
    "if a",
    "for x",
    "null or void",
    "true = a",
    "not(a)",
    "count(f)",
    "function(x",
    "number and a",
    "item between 1",
    "date of birth",
];

fn parse_print_parse_standard(text: &str) {
    parse_print_parse_with(Mode::Standard, text, &Names::new());
    let odd = ODD_NAMES.iter().collect();
    parse_print_parse_with(Mode::Standard, text, &odd);
    parse_print_parse_with(Mode::Camunda8, text, &odd);
}

fn parse_print_parse_with(mode: Mode, text: &str, names: &Names) {
    let Ok(first) = Expression::parse_with(mode, text, names) else { return };
    let printed = print(&first);
    let second = Expression::parse_with(mode, &printed, names)
        .unwrap_or_else(|error| panic!("{text} was printed as {printed}: {error}"));
    assert_eq!(print(&second), printed, "{text}");
    assert_eq!(outcome(&second), outcome(&first), "{text} was printed as {printed}");
}

fn tests_survive(text: &str) {
    tests_survive_with(text, &Names::new());
    tests_survive_with(text, &ODD_NAMES.iter().collect());
}

fn tests_survive_with(text: &str, names: &Names) {
    let scope = scope();
    let environment = Environment::new(&scope, Timestamp::ZERO);
    let Ok(first) = Expression::parse_unary_tests(Mode::Standard, text, names) else { return };
    let printed = print(&first);
    let second = Expression::parse_unary_tests(Mode::Standard, &printed, names)
        .unwrap_or_else(|error| panic!("{text} was printed as {printed}: {error}"));
    assert_eq!(print(&second), printed, "{text}");
    let answer = |tests: &Expression| {
        let evaluated = tests.test(&environment, &Value::Int(1));
        evaluated.map(|evaluated| evaluated.value.to_json()).map_err(|error| error.message())
    };
    assert_eq!(answer(&second), answer(&first), "{text} was printed as {printed}");
}

fn uel() -> impl Strategy<Value = String> {
    let leaf = select(vec![
        "a", "b", "c", "d", "e", "f", "g", "missing", "1", "0.5", "1e3", "'x'", "\"it's\"", "''",
        "true", "null", "'\\\\'",
    ])
    .prop_map(str::to_owned);
    let expression = leaf.prop_recursive(6, 60, 4, |inner| {
        let operator = select(vec![
            "+", "-", "*", "/", "%", " div ", " mod ", "==", "!=", "<", " ge ", "&&", " or ",
        ]);
        prop_oneof![
            (inner.clone(), operator.clone(), inner.clone())
                .prop_map(|(a, o, b)| format!("{a} {o} ({b})")),
            (inner.clone(), operator, inner.clone()).prop_map(|(a, o, b)| format!("({a}){o}{b}")),
            inner.clone().prop_map(|a| format!("-({a})")),
            inner.clone().prop_map(|a| format!("!({a})")),
            inner.clone().prop_map(|a| format!("empty ({a})")),
            inner.clone().prop_map(|a| format!("not {a}")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("({a}) ? {b} : {c}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})[{b}]")),
            inner.prop_map(|a| format!("({a}).b.c")),
        ]
    });
    let text = select(vec!["", "text ", "$", "#", "\\${x} ", "\\", "{}"]);
    (vec((text.clone(), expression), 0..3), text).prop_map(|(parts, last)| {
        let mut out = String::new();
        for (text, expression) in parts {
            // A backslash right before an expression would make it text.
            out.push_str(text.strip_suffix('\\').unwrap_or(text));
            out.push_str(&format!("${{{expression}}}"));
        }
        out + last
    })
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        (-4_000_000_i64..4_000_000)
            .prop_map(|days| Value::temporal(Date::from_days(days).expect("a day"))),
        any::<i64>().prop_map(|months| Value::temporal(Temporal::Months(months))),
        any::<i64>().prop_map(|nanos| Value::temporal(Temporal::Nanos(nanos.into()))),
        (-1e12..1e12).prop_map(Value::Double),
        "[0-9]{1,20}\\.[0-9]{1,15}"
            .prop_map(|text| Value::Decimal(text.parse().expect("a number"))),
        ".{0,8}".prop_map(Value::text),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(|items| Value::List(Arc::new(items))),
            vec((".{0,5}", inner), 0..4).prop_map(|entries| {
                let entries: BTreeMap<Arc<str>, Value> =
                    entries.into_iter().map(|(name, value)| (name.into(), value)).collect();
                Value::Map(Arc::new(entries))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1_000,
        max_global_rejects: 100_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_text_survives(text in ".{0,60}") {
        survives(Language::Feel, &text);
        survives(Language::Uel, &text);
        survives(Language::Uel, &format!("${{{text}}}"));
        let _ = zeebe_expression(&text).map(|expression| outcome(&expression));
        static_value(&text);
    }

    #[test]
    fn any_feel_tokens_survive(pieces in vec(select(FEEL_PIECES), 0..14)) {
        survives(Language::Feel, &pieces.join(" "));
        survives(Language::Feel, &pieces.concat());
        parse_print_parse_standard(&pieces.join(" "));
        tests_survive(&pieces.join(" "));
    }

    #[test]
    fn any_uel_tokens_survive(pieces in vec(select(UEL_PIECES), 0..14)) {
        survives(Language::Uel, &pieces.concat());
        survives(Language::Uel, &format!("${{{}}}", pieces.join(" ")));
    }

    #[test]
    fn printed_feel_means_the_same(text in feel()) {
        prop_assume!(Expression::parse(Language::Feel, &text).is_ok());
        parse_print_parse(Language::Feel, &text);
        parse_print_parse_standard(&text);
        tests_survive(&text);
        tests_survive(&format!("not({text}, < 3)"));
    }

    #[test]
    fn printed_uel_means_the_same(text in uel()) {
        prop_assume!(Expression::parse(Language::Uel, &text).is_ok());
        parse_print_parse(Language::Uel, &text);
    }

    #[test]
    fn printed_constants_mean_the_same(value in value()) {
        let constant = Expression::constant(value);
        let again = Expression::parse(Language::Feel, &print(&constant)).expect("a literal");
        let same = format!("({}) = ({})", constant.source(), print(&again));
        let same = Expression::parse(Language::Feel, &same).expect("a comparison");
        prop_assert_eq!(outcome(&same), "true");
    }

    #[test]
    fn any_numbers_have_results(a in any::<f64>(), b in any::<f64>(), c in any::<i64>()) {
        let scope: BTreeMap<String, Value> = BTreeMap::from([
            ("a".into(), Value::Double(a)), ("b".into(), Value::Double(b)), ("c".into(), Value::Int(c)),
        ]);
        let environment = Environment::new(&scope, Timestamp::ZERO);
        for text in ["a + b", "a - c", "a * b", "a / b", "c / a", "a ** b", "a ** c", "c ** b", "-a", "a < b", "c = a", "[1,2][c]", "[1,2][a]"] {
            let expression = Expression::parse(Language::Feel, text).expect(text);
            prop_assert!(expression.evaluate(&environment).is_ok());
        }
        for text in ["${a + b}", "${a % c}", "${c / b}", "${a < c}", "${c == a}", "x${a}y${b}", "${-c}", "${c * c}"] {
            let expression = Expression::parse(Language::Uel, text).expect(text);
            let _ = expression.evaluate(&environment);
        }
    }
}
