//! A hostile expression ends in an error that says which limit.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_expr::{
    Budget, Environment, EvalError, Expression, Language, Limit, Mode, Names, WARNINGS_MAX,
};
use orloj_types::{Timestamp, Value};

fn evaluate(language: Language, text: &str, budget: Budget) -> Result<Value, EvalError> {
    let numbers = Value::List(Arc::new((0..1_000).map(Value::Int).collect()));
    let word = Value::text("0123456789");
    let scope: BTreeMap<String, Value> =
        BTreeMap::from([("numbers".into(), numbers), ("word".into(), word)]);
    let expression = Expression::parse(language, text).expect("an expression");
    let environment = Environment::new(&scope, Timestamp::ZERO).with_budget(budget);
    expression.evaluate(&environment).map(|evaluated| evaluated.value)
}

fn limit(language: Language, text: &str) -> Limit {
    match evaluate(language, text, Budget::default()) {
        Err(EvalError::Budget { limit, .. }) => limit,
        other => panic!("{other:?}"),
    }
}

#[test]
fn long_chains_are_no_problem() {
    let sum = vec!["1"; 10_000].join(" + ");
    let value = evaluate(Language::Feel, &sum, Budget::default()).expect("within the budget");
    assert_eq!(value.to_json(), "10000");
    let value = evaluate(Language::Uel, &format!("${{{sum}}}"), Budget::default()).expect("same");
    assert_eq!(value.to_json(), "10000");
    let conditions = vec!["true"; 10_000].join(" and ");
    let value = evaluate(Language::Feel, &conditions, Budget::default()).expect("same");
    assert_eq!(value.to_json(), "true");
    let path = format!("word{}", ".x".repeat(10_000));
    assert!(evaluate(Language::Feel, &path, Budget::default()).expect("same").is_null());
}

#[test]
fn steps_are_limited() {
    let nested = "numbers[numbers[numbers[item > 1][1] < item][1] > item]";
    assert_eq!(limit(Language::Feel, nested), Limit::Steps);
    let searches = vec!["numbers.contains(-1)"; 500].join("||");
    assert_eq!(limit(Language::Uel, &format!("${{{searches}}}")), Limit::Steps);
}

#[test]
fn results_that_double_are_limited() {
    let mut lists = String::from("{a0: [1]");
    for at in 1..60 {
        lists.push_str(&format!(", a{at}: [a{0}, a{0}]", at - 1));
    }
    lists.push('}');
    assert_eq!(limit(Language::Feel, &format!("{lists}.a59")), Limit::ResultBytes);
    // Shared parts cost nothing until someone looks at all of them.
    assert_eq!(limit(Language::Feel, &format!("{lists}.a59 = {lists}.a59")), Limit::Steps);

    let mut texts = String::from("{a0: word");
    for at in 1..60 {
        texts.push_str(&format!(", a{at}: a{0} + a{0}", at - 1));
    }
    assert_eq!(limit(Language::Feel, &format!("{texts}}}.a59")), Limit::ResultBytes);
}

#[test]
fn depth_is_limited() {
    let budget = Budget { depth_max: 5, ..Budget::default() };
    let error = evaluate(Language::Feel, "[[[[[[[1]]]]]]]", budget).expect_err("too deep");
    assert_eq!(error, EvalError::Budget { limit: Limit::Depth, allowed: 5, offset: 6 });
    assert_eq!(error.to_string(), "the expression needs more than 5 levels of nesting");
    let error = evaluate(Language::Uel, "${- - - - - - - 1}", budget).expect_err("too deep");
    assert!(matches!(error, EvalError::Budget { limit: Limit::Depth, .. }));
}

/// Tests run on threads with 2 MiB of stack, as the workers of the runtime do.
#[test]
fn the_deepest_texts_fit_on_the_stack() {
    let shapes = [
        ("-", "1", ""),
        ("not(", "true", ")"),
        ("[", "1", "]"),
        ("{a: ", "1", "}"),
        ("1 + (", "1", ")"),
        ("1 in (", "1", ")"),
        ("1 in [", "1", "]"),
        ("true and (", "true", ")"),
        ("if true then ", "1", " else 2"),
        ("numbers[", "1", "]"),
        ("1 < (", "1", ")"),
        ("(", "numbers", ").a"),
    ];
    for (open, middle, close) in shapes {
        let count = orloj_expr::NESTING_MAX / 2 - 1;
        let text = format!("{}{middle}{}", open.repeat(count), close.repeat(count));
        let _ = evaluate(Language::Feel, &text, Budget::default());
    }
    let lists = format!("{}1{}", "[".repeat(190), "]".repeat(190));
    let same = evaluate(Language::Feel, &format!("{lists} = {lists}"), Budget::default());
    assert_eq!(same.expect("equal").to_json(), "true");
    for (open, close) in [("-", ""), ("!", ""), ("(", ")"), ("1 + (", ")"), ("true ? ", " : 2")] {
        let count = orloj_expr::NESTING_MAX / 2 - 1;
        let text = format!("${{{}1{}}}", open.repeat(count), close.repeat(count));
        let _ = evaluate(Language::Uel, &text, Budget::default());
    }
}

#[test]
fn values_cannot_grow_deep_without_nesting() {
    let mut lists = String::from("{a0: [1]");
    for at in 1..1_500 {
        lists.push_str(&format!(", a{at}: [a{}]", at - 1));
    }
    lists.push('}');
    assert_eq!(limit(Language::Feel, &lists), Limit::Depth);
    assert_eq!(limit(Language::Feel, &format!("{lists}.a1")), Limit::Depth);
    let filtered = lists.replace(", a", ", b: 1, a").replace("[a", "[x[true][1], a");
    assert_eq!(limit(Language::Feel, &filtered), Limit::Depth);
    // Numbers taken out of lists do not add up.
    let mut numbers = String::from("{a0: [1]");
    for at in 1..2_000 {
        numbers.push_str(
            &format!(", a{at}: a{}[1] + 1, b{at}: [a{at}]", at - 1).replace("a0[1]", "7"),
        );
        numbers = numbers.replace(&format!("a{}[1]", at - 1), &format!("b{}[1]", at - 1));
    }
    let value = evaluate(Language::Feel, &format!("{numbers}}}.a1999"), Budget::default());
    assert_eq!(value.expect("flat").to_json(), "2006");
}

#[test]
fn small_budgets_hold() {
    let tight =
        |steps_max, result_bytes_max| Budget { steps_max, result_bytes_max, ..Budget::default() };
    let text = "x ${word} ${word}";
    let error = evaluate(Language::Uel, text, tight(100, 15)).expect_err("20 bytes");
    assert!(matches!(error, EvalError::Budget { limit: Limit::ResultBytes, allowed: 15, .. }));
    let error = evaluate(Language::Feel, "1 + 1", tight(2, 100)).expect_err("three nodes");
    assert!(matches!(error, EvalError::Budget { limit: Limit::Steps, allowed: 2, .. }));
    assert!(evaluate(Language::Feel, "1 + 1", tight(3, 100)).is_ok());
}

#[test]
fn warnings_are_limited() {
    let scope: BTreeMap<String, Value> = BTreeMap::from([(
        "numbers".into(),
        Value::List(Arc::new((0..1_000).map(Value::Int).collect())),
    )]);
    let expression = Expression::parse(Language::Feel, "numbers[item > missing]").expect("FEEL");
    let evaluated =
        expression.evaluate(&Environment::new(&scope, Timestamp::ZERO)).expect("in the budget");
    assert_eq!(evaluated.warnings.len(), WARNINGS_MAX);
    assert_eq!(evaluated.value.to_json(), "[]");
}

/// Every bomb ends in an error that names a limit, or is small after all.
#[test]
fn bombs_of_the_whole_language_end() {
    let chain = |first: &str, next: &dyn Fn(usize) -> String, count: usize| {
        let mut text = format!("{{a0: {first}");
        for at in 1..count {
            text.push_str(&format!(", a{at}: {}", next(at - 1)));
        }
        format!("{text}}}.a{}", count - 1)
    };
    let bombs = [
        ("{f: function(n) f(n + 1), r: f(0)}.r".to_owned(), Limit::Depth),
        ("{f: function(n) n + f([n]), r: f(0)}.r".to_owned(), Limit::Depth),
        ("{f: function(g) g(g), r: f(f)}.r".to_owned(), Limit::Depth),
        ("for i in 1..9000000000000000000 return i".to_owned(), Limit::Steps),
        ("for a in 1..99, b in 1..99, c in 1..99, d in 1..99 return 1".to_owned(), Limit::Steps),
        ("some a in 1..9999, b in 1..9999 satisfies false".to_owned(), Limit::Steps),
        ("for i in 1..100000 return partial".to_owned(), Limit::ResultBytes),
        ("for i in 1..9000 return string(partial)".to_owned(), Limit::Steps),
        (chain("[1]", &|at| format!("concatenate(a{at}, a{at})"), 60), Limit::ResultBytes),
        (chain("\"ab\"", &|at| format!("string join([a{at}, a{at}])"), 60), Limit::ResultBytes),
        (chain("\"ab\"", &|at| format!("replace(a{at}, \".\", a{at})"), 9), Limit::ResultBytes),
        (format!("string({})", chain("[1]", &|at| format!("[a{at}, a{at}]"), 60)), Limit::Steps),
        (format!("flatten({})", chain("[1]", &|at| format!("[a{at}, a{at}]"), 60)), Limit::Steps),
        (chain("{}", &|at| format!("context put({{}}, \"x\", a{at})"), 2_000), Limit::Depth),
        (chain("function() 1", &|at| format!("function() a{at}()"), 2_000), Limit::Depth),
        ("sort(for i in 1..20000 return -i, function(x, y) x < y)".to_owned(), Limit::Steps),
        ("distinct values(for i in 1..20000 return i)".to_owned(), Limit::Steps),
        ("count(for i in 1..2000 return exp(i))".to_owned(), Limit::Steps),
        ("for i in 1..99999 return matches(\"aaaa\", \"(a*)*b\")".to_owned(), Limit::Steps),
    ];
    for (text, expected) in bombs {
        let short = &text[..text.len().min(80)];
        let found = match evaluate(Language::Feel, &text, Budget::default()) {
            Err(EvalError::Budget { limit, .. }) => limit,
            other => panic!("{short}: {other:?}"),
        };
        // Which of two limits is met first is no promise.
        let memory = [Limit::Steps, Limit::ResultBytes];
        let agree = found == expected || memory.contains(&found) && memory.contains(&expected);
        assert!(agree, "{short}: {found:?}");
    }
}

#[test]
fn regular_expressions_are_linear_and_small() {
    let long = "a".repeat(20_000);
    for pattern in ["(a*)*b", "(a|aa)+$", "(a|a?)+b", "^(([a-z])+.)+[A-Z]([a-z])+$"] {
        let text = format!("matches(\"{long}\", \"{pattern}\")");
        assert!(evaluate(Language::Feel, &text, Budget::default()).is_ok(), "{pattern}");
    }
    for pattern in [r"(\\w{900}){900}", r"((a{99}){99}){99}", &"(".repeat(3_000)] {
        let text = format!("matches(\"a\", \"{pattern}\")");
        let value = evaluate(Language::Feel, &text, Budget::default());
        assert!(value.is_err() || value.is_ok_and(|value| value.is_null()), "{pattern}");
    }
}

#[test]
fn deep_calls_fit_on_the_stack() {
    let shapes = [
        "{f: function(n) if n = 0 then 0 else 1 + f(n - 1), r: f(80)}.r",
        "{f: function(n) if n = 0 then [] else concatenate([n], f(n - 1)), r: count(f(80))}.r",
        "{f: function(n) if n = 0 then 0 else sum(for i in [n] return f(i - 1)) + 1, r: f(60)}.r",
        "{f: function(n) if n = 0 then 0 else sort([2, 1], function(x, y) f(n - 1) = x)[1], r: f(3)}.r",
    ];
    for text in shapes {
        evaluate(Language::Feel, text, Budget::default())
            .unwrap_or_else(|error| panic!("{text}: {error}"));
    }
    // To the limit in every way of calling.
    let endless = [
        "{f: function(n) [f(n)], r: f(1)}.r",
        "{f: function(n) {a: f(n)}, r: f(1)}.r",
        "{f: function(n) (for i in [1] return f(n)), r: f(1)}.r",
        "{f: function(n) some i in [1] satisfies f(n), r: f(1)}.r",
        "{f: function(n) [1][f(n)], r: f(1)}.r",
        "{f: function(n) 1 in (f(n)), r: f(1)}.r",
        "{f: function(n) if f(n) then 1 else 2, r: f(1)}.r",
        "{f: function(n) 1 between f(n) and 2, r: f(1)}.r",
        "{f: function(n) string(f(n)), r: f(1)}.r",
        "{f: function(n) sort([1, 2], function(x, y) f(n)), r: f(1)}.r",
        "{f: function(n) f(n: f(n)), r: f(1)}.r",
        "{f: function(n) -f(n) * 2, r: f(1)}.r",
        "{f: function(n) f(n).a, r: f(1)}.r",
        "{f: function(n) f(n) and true, r: f(1)}.r",
        "{f: function(n) f(n) instance of number, r: f(1)}.r",
    ];
    for text in endless {
        assert_eq!(limit(Language::Feel, text), Limit::Depth, "{text}");
    }
}

#[test]
fn long_texts_are_refused() {
    let terms = orloj_expr::TOKENS_MAX / 2 + 1;
    let sum = vec!["1"; terms].join("+");
    let parts = "${1}".repeat(terms);
    let cases = [
        (Language::Feel, sum.clone()),
        (Language::Uel, format!("${{{sum}}}")),
        (Language::Uel, parts),
        (Language::Feel, format!("[{}]", vec!["1"; terms].join(","))),
    ];
    for (language, text) in cases {
        let error = Expression::parse(language, &text).expect_err("too long");
        assert!(error.message.ends_with("more than 30000 words and signs"), "{error}");
    }
}

/// A value that is small in memory and has 2^40 parts on paper.
#[test]
fn types_are_not_asked_of_endless_values() {
    let mut lists = String::from("{a0: [1]");
    for at in 1..40 {
        lists.push_str(&format!(", a{at}: [a{0}, a{0}]", at - 1));
    }
    let deep = format!("{}number{}", "list<".repeat(40), ">".repeat(40));
    for last in [
        format!("a39 instance of {deep}"),
        format!("(function(x: {deep}) 1)(a39)"),
        format!("(function(): {deep} a39)()"),
    ] {
        let text = format!("{lists}, f: {last}}}.f");
        let expression =
            Expression::parse_with(Mode::Standard, &text, &Names::new()).expect("FEEL");
        let error = expression
            .evaluate(&Environment::new(&(), Timestamp::ZERO))
            .expect_err("too many parts to look at");
        assert!(matches!(error, EvalError::Budget { limit: Limit::Steps, .. }), "{last}: {error}");
    }
    let text = format!("{lists}, f: a39 instance of list}}.f");
    assert_eq!(
        evaluate(Language::Feel, &text, Budget::default()).expect("a look").to_json(),
        "true"
    );
}

/// What takes longer than others counts for more.
#[test]
fn costly_steps_are_counted() {
    let long = Value::text("a".repeat(100_000));
    let scope: BTreeMap<String, Value> = BTreeMap::from([("long".into(), long)]);
    for call in ["date(long)", "time(long)", "date and time(long)", "duration(long)", "1 / i"] {
        let text = format!("for i in 1..30000 return {call}");
        let expression = Expression::parse(Language::Feel, &text).expect("FEEL");
        match expression.evaluate(&Environment::new(&scope, Timestamp::ZERO)) {
            Err(EvalError::Budget { limit: Limit::Steps, .. }) => {}
            other => panic!("{call}: {:?}", other.map(|_| "a value")),
        }
    }
}

#[test]
fn contexts_count_with_their_nodes() {
    let text = "for i in 1..12000 return {k: i}";
    assert_eq!(limit(Language::Feel, text), Limit::ResultBytes);
}

/// Names with the same first words are found without a look at each other.
#[test]
fn many_names_of_many_words_are_read_in_linear_time() {
    let keys: Vec<String> = (0..4_000).map(|at| format!("a b c {at}: {at}")).collect();
    let text = format!("{{{}, z: a b c 3999}}.z", keys.join(", "));
    let expression = Expression::parse_with(Mode::Standard, &text, &Names::new()).expect("FEEL");
    let budget = Budget { steps_max: 1_000_000, ..Budget::default() };
    let environment = Environment::new(&(), Timestamp::ZERO).with_budget(budget);
    assert_eq!(expression.evaluate(&environment).expect("small").value.to_json(), "3999");
}

/// A group that is named a thousand times is not written out before it is counted.
#[test]
fn replacements_are_counted_before_they_are_made() {
    let long = Value::text("a".repeat(100_000));
    let scope: BTreeMap<String, Value> = BTreeMap::from([("long".into(), long)]);
    let groups = "$1".repeat(1_000);
    let cases = [
        (Language::Feel, format!("replace(long, \"(a+)\", \"{groups}\")")),
        (Language::Uel, format!("${{long.replaceAll('(a+)', '{groups}')}}")),
    ];
    for (language, text) in cases {
        let expression = Expression::parse(language, &text).expect("an expression");
        match expression.evaluate(&Environment::new(&scope, Timestamp::ZERO)) {
            Err(EvalError::Budget { limit: Limit::ResultBytes, .. }) => {}
            other => panic!("{language:?}: {:?}", other.map(|_| "a value")),
        }
    }
}

/// A search that looks to the end of the text before it takes what is near costs what it reads.
#[test]
fn searches_that_read_to_the_end_are_counted() {
    let long = Value::text("a".repeat(100_000));
    let scope: BTreeMap<String, Value> = BTreeMap::from([("long".into(), long)]);
    for (language, text) in [
        (Language::Feel, r#"replace(long, ".*b|a", "x")"#),
        (Language::Feel, r#"split(long, ".*b|a")"#),
        (Language::Feel, r#"extract(long, ".*b|a")"#),
        (Language::Uel, "${long.replaceAll('.*b|a', 'x')}"),
        (Language::Uel, "${long.split('.*b|a')}"),
    ] {
        let expression = Expression::parse(language, text).expect("an expression");
        match expression.evaluate(&Environment::new(&scope, Timestamp::ZERO)) {
            Err(EvalError::Budget { limit: Limit::Steps, .. }) => {}
            other => panic!("{text}: {:?}", other.map(|_| "a value")),
        }
    }
}

/// Searches that stop at what they find are cheap, however long the text is.
#[test]
fn ordinary_searches_fit_the_budget() {
    let words = Value::text("word, another ; third\n".repeat(2_000));
    let scope: BTreeMap<String, Value> = BTreeMap::from([("words".into(), words)]);
    for (text, expected) in [
        (r#"count(split(words, "\\s*[,;\\n]\\s*"))"#, "6001"),
        (r#"string length(replace(words, "[a-z]+", "x"))"#, "18000"),
        (r#"count(extract(words, "an\\w+"))"#, "2000"),
        (r#"matches(words, "^\\w{1,200}$")"#, "false"),
        (r#"matches("123", "^\\d{1,200}$")"#, "true"),
    ] {
        for mode in [Mode::Camunda8, Mode::Standard] {
            if mode == Mode::Standard && text.contains("extract") {
                continue;
            }
            let expression = Expression::parse_with(mode, text, &Names::new()).expect("FEEL");
            let evaluated = expression.evaluate(&Environment::new(&scope, Timestamp::ZERO));
            assert_eq!(evaluated.expect("within the budget").value.to_json(), expected, "{text}");
        }
    }
}

#[test]
fn long_lists_have_distinct_values() {
    for (text, expected) in [
        ("count(distinct values(for i in 1..10000 return i))", "10000"),
        ("count(union(for i in 1..5000 return i, for i in 2500..7500 return i))", "7500"),
        ("count(duplicate values(for i in 1..4000 return modulo(i, 2000)))", "2000"),
        ("count(distinct values(for i in 1..3000 return string(modulo(i, 1000))))", "1000"),
        ("distinct values([1, 1.0, \"1\", null, true, null])", "[1,\"1\",null,true]"),
        ("duplicate values([3, 1, 2, 1, 3])", "[3,1]"),
    ] {
        let value = evaluate(Language::Feel, text, Budget::default());
        assert_eq!(value.expect("within the budget").to_json(), expected, "{text}");
    }
}
