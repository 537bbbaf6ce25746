//! FEEL in both modes, as expressions and as unary tests.

use orloj_expr::{
    Environment, EvalError, Evaluated, Expression, Mode, Names, ParseError, excerpt, parse_type,
    print,
};
use orloj_types::Value;

use crate::world;

pub fn check(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else { return false };
    let variables = world::variables();
    let environment = Environment::new(&variables, world::NOW).with_budget(world::BUDGET);
    let names: Names = NAMES.iter().collect();
    let mut accepted = false;
    for mode in [Mode::Standard, Mode::Camunda8] {
        accepted |= agree(
            text,
            |text| Expression::parse_with(mode, text, &names),
            |expression| expression.evaluate(&environment),
        );
        accepted |= agree(
            text,
            |text| Expression::parse_unary_tests(mode, text, &names),
            |expression| expression.test(&environment, &Value::Int(5)),
        );
    }
    let _ = parse_type(text, &names);
    accepted
}

/// An expression and what it is printed as have the same value.
fn agree(
    text: &str,
    parse: impl Fn(&str) -> Result<Expression, ParseError>,
    evaluate: impl Fn(&Expression) -> Result<Evaluated, EvalError>,
) -> bool {
    let first = match parse(text) {
        Ok(expression) => expression,
        Err(error) => {
            assert!(error.offset <= text.len(), "{error} is outside of {text:?}");
            excerpt(text, error.offset, &error.message);
            return false;
        }
    };
    let printed = print(&first);
    let second = match parse(&printed) {
        Ok(expression) => expression,
        Err(error) => panic!("{text:?} is printed as {printed:?}: {error}"),
    };
    assert_eq!(print(&second), printed, "{text:?} is not printed the same again");
    match (evaluate(&first), evaluate(&second)) {
        (Ok(one), Ok(two)) => {
            let (one, two) = (one.value.to_json(), two.value.to_json());
            assert_eq!(one, two, "{text:?} is printed as {printed:?}");
        }
        // Printing adds parentheses and takes some away, which changes what is left of a budget.
        (Err(EvalError::Budget { .. }), _) | (_, Err(EvalError::Budget { .. })) => {}
        (one, two) => panic!("{text:?} is printed as {printed:?}: {one:?}, {two:?}"),
    }
    true
}

/// Also names that look like expressions, and begin with words of the language.
const NAMES: &[&str] = &[
    "customer",
    "first name",
    "in stock",
    "a-b",
    "f.g",
    "c and d",
    "x * 2",
    "if a",
    "not in stock",
    "date of birth",
    "count(f)",
];

pub const SEEDS: &[&str] = &[
    "amount > 100 and customer.vip",
    "if a > 1 then \"more\" else \"less\"",
    "for i in 1..5, j in [i, 2] return i * j + (if i = 1 then 0 else partial[-1])",
    "some x in f satisfies x > 2",
    "every x in f satisfies x > 0 and x < 10",
    "[1, 2, 3, 4][item > 2]",
    "{a: 1, b: a + 1, \"odd key\": [b]}.b",
    "function(x: number, y) x ** 2 + y",
    "{f: function(n) if n < 2 then 1 else n * f(n - 1)}.f(5)",
    "date(\"2030-01-31\") + duration(\"P1M\")",
    "@\"2030-01-31T09:00:00@Europe/Prague\" - @\"P1DT2H\"",
    "time(\"10:00:00+01:00\") < time(12, 30, 0)",
    "years and months duration(@\"2020-02-29\", @\"2030-03-01\")",
    "5 in [1..10)",
    "5 in (< 3, > 4, [5..5])",
    "a between 0 and 10",
    "c instance of string and f instance of list<number>",
    "substring(string: \"abcdef\", start position: 2, length: 3)",
    "replace(\"abracadabra\", \"a(.)\", \"[$1]\", \"i\")",
    "matches(c, \"^(t|e)+.*$\")",
    "split(\"a,b;c\", \"[,;]\")",
    "string join([\"a\", null, \"b\"], \", \")",
    "sort(f, function(x, y) x > y)",
    "get value({a: {b: 1}}, [\"a\", \"b\"])",
    "context put(g, \"new\", count(f))",
    "get entries(g)[1].key",
    "is defined(missing) or get or else(e, 7) = 7",
    "decimal(1/3, 10) + round half up(2.5, 0) + modulo(-7, 3)",
    "`odd name` + first name + a-b + (a)-b",
    "(c) and d or (f).g = (x)*2",
    "overlaps([1..5], (5..8]) and before(1, [2..3])",
    "sum(items.price) * mean([1, 2]) - stddev([2, 4, 7, 5])",
    "-2 ** 3 - (4 - 3)",
    "range(\"[18..21)\")",
    "list replace(f, function(item, new) item > 2, 9)",
    "< 5, [7..9], not in stock",
    "not(\"a\", \"b\")",
    "? > 3 and ? < 10",
    "-",
    "\"\\u00e9\\n\\\"\" = \"é\"",
    "// nothing\n1 /* or */ + 2",
];

pub const WORDS: &[&str] = &[
    " and ",
    " or ",
    "not(",
    " in ",
    " between ",
    "if ",
    " then ",
    " else ",
    "for x in ",
    " return ",
    "some x in ",
    " satisfies ",
    "function(x) ",
    " instance of ",
    "list<number>",
    "context<a: string>",
    "range<number>",
    "?",
    "item",
    "partial",
    "null",
    "true",
    "..",
    "**",
    "@\"P1Y\"",
    "date(",
    "time(",
    "duration(",
    "string(",
    "number(",
    "count(",
    "sum(",
    "flatten(",
    "concatenate(",
    "append(",
    "union(",
    "index of(",
    "day of week(",
    "now()",
    "`",
    ": ",
    ", ",
    ".",
    "-",
    "+",
    "*",
    "/",
    "<=",
    "!=",
    "=",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    "string join(",
    "matches(",
    "replace(",
    "extract(",
    "mode(",
    "repeat(",
    "1..1000000",
    "first name",
    "external ",
    "// ",
    "/* ",
    "_",
    "a.b.c",
    "f[1]",
    "x -> ",
];
