//! Hostile scripts end within their budgets, in an error that says which; nothing panics.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_groovy::{Dialect, Failure, Limit, Options, Outcome, Script};
use orloj_types::{Timestamp, Value};

fn run(source: &str) -> Outcome {
    let script = Script::parse(source).unwrap_or_else(|error| panic!("{source}: {error}"));
    let variables: BTreeMap<Arc<str>, Value> = BTreeMap::new();
    script.run(&variables, Options::new(Dialect::Camunda7, Timestamp::ZERO))
}

fn limit_of(source: &str) -> Limit {
    match run(source).result {
        Err(Failure::Limit { limit, .. }) => limit,
        other => panic!("{source}: {other:?}"),
    }
}

#[test]
fn loops_run_out_of_steps() {
    for source in [
        "while (true) { }",
        "for (;;) { }",
        "for (i in 0..2000000000) { }",
        "def f = { -> 1 }; while (true) { f() }",
        "(1..100000).each { a -> (1..100000).each { b -> a } }",
        "try { while (true) { } } catch (Throwable t) { } finally { while (true) { } }",
        "def l = (1..20000).toList(); l.collect { l.indexOf(it) }",
        "100000000.times { }",
    ] {
        let limit = limit_of(source);
        assert!(matches!(limit, Limit::Steps | Limit::Bytes), "{source}: {limit:?}");
    }
}

#[test]
fn growth_runs_out_of_bytes() {
    for source in [
        "def s = 'ab'; while (true) { s = s + s }",
        "def l = [1]; while (true) { l = l + l }",
        "'a' * 2000000000",
        "('a' * 100000).replaceAll('(a+)', '$1' * 1000)",
        "[1] * 2000000000",
        "def l = []; l[2000000000] = 1",
        "new int[2000000000]",
        "'a'.padLeft(2000000000)",
        "def l = [1]; 60.times { l = [l, l] }; l.toString()",
        "def l = [1]; 60.times { l = [l, l] }; l",
        "def s = new StringBuilder('ab'); while (true) { s.append(s) }",
    ] {
        let limit = limit_of(source);
        assert!(matches!(limit, Limit::Bytes | Limit::Steps), "{source}: {limit:?}");
    }
}

#[test]
fn recursion_runs_out_of_depth() {
    for source in [
        "def f(n) { f(n + 1) }; f(0)",
        "def c; c = { c() }; c()",
        "def l = []; l << l; l.toString()",
        "def l = []; l << l; l",
        "def l = []; l << l; l.hashCode()",
        "def l = []; l << l; def m = []; m << m; l == m",
        "def m = [:]; m.a = m; \"$m\"",
        "def l = []; 5000.times { l = [l] }; l.flatten()",
    ] {
        let limit = limit_of(source);
        assert!(matches!(limit, Limit::Depth | Limit::Steps), "{source}: {limit:?}");
    }
}

#[test]
fn regular_expressions_are_linear() {
    let text = "'".to_owned() + &"a".repeat(5_000) + "!' ==~ /(a+)+b/";
    assert_eq!(run(&text).result.expect("a value").to_json(), "false");
    assert!(run("'a' ==~ /(a{1000}){1000}/").result.is_err());
    assert!(run("'a' =~ '(?=' + 'a)'").result.is_err());
}

#[test]
fn nesting_is_refused_by_the_parser() {
    for source in [
        "(".repeat(100_000),
        "[".repeat(100_000),
        "{".repeat(100_000),
        "-".repeat(100_000) + "1",
        "1".to_owned() + &" + 1".repeat(100_000),
        "a".to_owned() + &".a".repeat(100_000),
        "if (a) ".repeat(100_000),
        "\"${".repeat(100_000),
        "a ? ".repeat(100_000),
        "a = ".repeat(100_000),
    ] {
        assert!(Script::parse(&source).is_err(), "{}", &source[..20]);
    }
}

#[test]
fn long_scripts_are_no_deep_ones() {
    let lines: String = (0..2_000).map(|at| format!("x{at} = {at} + 1\n")).collect();
    assert_eq!(run(&(lines + "x1999")).result.expect("a value").to_json(), "2000");
    let list = vec!["[1]"; 2_000].join(", ");
    assert_eq!(run(&format!("[{list}].size()")).result.expect("a value").to_json(), "2000");
    let map: Vec<String> = (0..2_000).map(|at| format!("k{at}: {{ it }}")).collect();
    assert_eq!(run(&format!("[{}].size()", map.join(", "))).result.expect("one").to_json(), "2000");
    let blocks = "if (true) { y = [1, 2].collect { it * 2 } }\n".repeat(500) + "y";
    assert_eq!(run(&blocks).result.expect("a value").to_json(), "[2,4]");
}

#[test]
fn scripts_of_too_many_words_are_refused() {
    for source in ["x = 1\n".repeat(20_000), "\"${x}\"\n".repeat(20_000)] {
        let diagnostic = Script::parse(&source).expect_err("too long");
        assert!(diagnostic.message.ends_with("more than 30000 words and signs"), "{diagnostic}");
    }
}

#[test]
fn printed_lines_are_bounded() {
    let outcome = run("5000.times { println 'a line that is printed' }");
    assert!(outcome.printed.iter().map(String::len).sum::<usize>() <= 64 << 10);
    assert!(outcome.printed_lost > 0);
}

#[test]
fn every_cut_of_a_script_is_parsed_or_refused() {
    let source = r#"import java.util.Date
def f(a, b = 2) { a + b }
outer: for (int i = 0; i < 3; i++) { if (i == 1) continue outer else println "i=${f(i)} $i.x" }
def m = [a: 1, 'b': [1, 2, *[3]], (1): ~/x\d+/]
switch (m?.a) { case 1..2: break; case ~/y/: f(1); default: throw new RuntimeException('x') }
try { m.b*.toString().collect { k, v = 1 -> k } } catch (IllegalStateException | NullPointerException e) { e.message } finally { }
m.b[-1] += (int) 2.5e3 ** 2 <=> 1_000L ?: ('''a
b''' =~ /c/) ? 1 : -2
"#;
    let variables: BTreeMap<Arc<str>, Value> = BTreeMap::new();
    for end in (0..source.len()).filter(|end| source.is_char_boundary(*end)) {
        for start in [0, end / 2, end / 3] {
            if let Some(Ok(script)) = source.get(start..end).map(Script::parse) {
                script.run(&variables, Options::new(Dialect::Flowable, Timestamp::ZERO));
            }
        }
    }
}

/// Words that scripts are made of, put together without sense.
const WORDS: &[&str] = &[
    "a",
    "b",
    "it",
    "def ",
    "int ",
    "if (",
    "else ",
    "for (x in ",
    "while (",
    "switch (",
    "case 1: ",
    "try {",
    "} catch (e) {",
    "} finally {",
    "throw ",
    "new ",
    "RuntimeException",
    "Date",
    "return ",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "{ x -> ",
    ",",
    ";",
    "\n",
    ".",
    "?.",
    "*.",
    "?:",
    "?",
    ":",
    "=",
    "+=",
    "==",
    "<=>",
    "=~",
    "==~",
    "..",
    "..<",
    "+",
    "-",
    "*",
    "/",
    "%",
    "**",
    "<<",
    ">>",
    "!",
    "~",
    "&&",
    "||",
    "++",
    "--",
    "in ",
    "as ",
    "instanceof ",
    "1",
    "2147483647",
    "1.5",
    "1e9",
    "9999999999L",
    "'t'",
    "\"g${",
    "}\"",
    "\"$a\"",
    "/r+/",
    "null",
    "true",
    "[:]",
    "[1, 2]",
    "[k: 1]",
    "each { ",
    "collect { ",
    "sort()",
    "sum()",
    "join(',')",
    "execution.getVariable('a')",
    "println ",
    "size()",
    "toString()",
    "substring(1)",
    "padLeft(9)",
    "times { ",
    "inject(0) { p, q -> ",
    "Math.max(",
    "String.format('%05d', ",
    "Integer.MAX_VALUE",
    "class",
    "length()",
    "getAt(",
    "withDefault { ",
];

#[test]
fn senseless_scripts_neither_panic_nor_hang() {
    let variables: BTreeMap<Arc<str>, Value> = BTreeMap::from([
        ("a".into(), Value::list(vec![Value::Int(3), Value::text("é€x")])),
        ("b".into(), Value::Double(-0.5)),
    ]);
    let mut options = Options::new(Dialect::Camunda7, Timestamp::ZERO);
    options.budget.steps_max = 2_000;
    let (mut state, mut ran) = (0x5eed_u64, 0);
    for _ in 0..30_000 {
        let mut source = String::new();
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize
        };
        for _ in 0..next() % 14 + 1 {
            source.push_str(WORDS[next() % WORDS.len()]);
        }
        if let Ok(script) = Script::parse(&source) {
            ran += 1;
            script.run(&variables, options);
        }
    }
    assert!(ran > 500, "only {ran} made sense to the parser");
}

/// Java's patterns, as far as automata go.
#[test]
fn patterns_that_cannot_run_are_refused() {
    for source in ["'ab' =~ /a(?=b)/", "'aa' ==~ /(a)\\1/", "x ==~ 'a++'"] {
        let diagnostic = Script::parse(source).expect_err(source);
        assert!(diagnostic.message.contains("in a regular expression"), "{diagnostic}");
    }
    for (source, expected) in [
        ("'é' ==~ /\\w/", "false"),
        ("'e' ==~ /(?i)E/", "true"),
        ("'aab'.replaceAll('a*', 'x')", "\"xxbx\""),
        ("'12' ==~ /\\d{1,200}/", "true"),
    ] {
        assert_eq!(run(source).result.expect(source).to_json(), expected, "{source}");
    }
}

#[test]
fn searches_that_read_to_the_end_run_out_of_steps() {
    for source in [
        "('a' * 100000).replaceAll('.*b|a', 'x')",
        "('a' * 100000).split('.*b|a')",
        "('a' * 100000).findAll('.*b|a')",
    ] {
        match run(source).result {
            Err(orloj_groovy::Failure::Limit { limit: orloj_groovy::Limit::Steps, .. }) => {}
            other => panic!("{source}: {:?}", other.map(|_| "a value")),
        }
    }
}
