//! The interface as the other crates use it.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_expr::{
    Environment, EvalError, Expression, Language, Mode, Names, print, zeebe_expression,
};
use orloj_types::{Document, Timestamp, Value};

fn feel(text: &str) -> Expression {
    Expression::parse(Language::Feel, text).expect(text)
}

fn uel(text: &str) -> Expression {
    Expression::parse(Language::Uel, text).expect(text)
}

#[test]
fn documents_are_scopes() {
    let document = Document::parse(r#"{"amount": 150, "customer": {"vip": true}}"#).expect("JSON");
    let environment = Environment::new(&document, Timestamp::ZERO);
    let condition = feel("amount > 100 and customer.vip");
    let evaluated = condition.evaluate(&environment).expect("a value");
    assert_eq!(evaluated.value.to_json(), "true");
    assert!(evaluated.warnings.is_empty());
    let evaluated = uel("${amount > 100 && customer.vip}").evaluate(&environment).expect("a value");
    assert_eq!(evaluated.value.to_json(), "true");
}

#[test]
fn members_are_shared_not_copied() {
    let inner = Arc::new(BTreeMap::from([("x".into(), Value::Int(1))]));
    let outer = BTreeMap::from([("inner".into(), Value::Map(inner.clone()))]);
    let scope: BTreeMap<Arc<str>, Value> =
        BTreeMap::from([("outer".into(), Value::Map(Arc::new(outer)))]);
    for expression in [feel("outer.inner"), uel("${outer.inner}")] {
        let environment = Environment::new(&scope, Timestamp::ZERO);
        let evaluated = expression.evaluate(&environment).expect("a value");
        let Value::Map(found) = evaluated.value else { panic!("a map") };
        assert!(Arc::ptr_eq(&found, &inner));
    }
}

#[test]
fn warnings_say_what_and_where() {
    let rows = [
        (
            "1 + missing",
            vec![
                ("there is no variable 'missing'", 4),
                ("'+' has no meaning for number and null", 2),
            ],
        ),
        ("{a: 1}.b", vec![("the context has no entry 'b'", 6)]),
        ("\"a\" < 1", vec![("string and number cannot be compared", 4)]),
        ("1 = \"1\"", vec![("number and string cannot be compared", 2)]),
        ("1 / 0", vec![("'/' has no result for these numbers", 2)]),
        ("true and 1", vec![("a condition expects a boolean, found number", 9)]),
        ("if 1 then 2 else 3", vec![("'if' expects a boolean, found number", 3)]),
        ("[1][2]", vec![("the list has 1 items and none at this index", 3)]),
        ("null = 1", vec![]),
        ("5[1]", vec![("only a list can be filtered, found number", 1)]),
        ("not(null)", vec![("'not' expects a boolean, found null", 0)]),
    ];
    for (text, expected) in rows {
        let evaluated =
            feel(text).evaluate(&Environment::new(&(), Timestamp::ZERO)).expect("a value");
        let found: Vec<_> =
            evaluated.warnings.iter().map(|w| (w.message.as_str(), w.offset)).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn errors_say_what_and_where() {
    let error = uel("Hi ${a + missing}")
        .evaluate(&Environment::new(
            &BTreeMap::from([("a".to_owned(), Value::Int(1))]),
            Timestamp::ZERO,
        ))
        .expect_err("unknown");
    assert_eq!(error, EvalError::UnknownName { name: "missing".into(), offset: 9 });
    assert_eq!(
        error.message(),
        "unknown property used in expression: there is no variable 'missing'"
    );
    assert_eq!(error.offset(), 9);
    let error =
        uel("${1 + 'x'}").evaluate(&Environment::new(&(), Timestamp::ZERO)).expect_err("text");
    assert_eq!(
        (error.message(), error.offset()),
        ("cannot coerce 'x' to a whole number".into(), 4)
    );
}

#[test]
fn zeebe_offsets_count_the_sign() {
    let evaluated = zeebe_expression("=missing")
        .expect("FEEL")
        .evaluate(&Environment::new(&(), Timestamp::ZERO))
        .expect("null");
    assert_eq!(evaluated.warnings[0].offset, 1);
}

#[test]
fn constants_and_equality() {
    let constant = Expression::constant(Value::text("a \"b\""));
    assert_eq!(constant.source(), "\"a \\\"b\\\"\"");
    assert_eq!(constant.language(), Language::Feel);
    assert_eq!(constant.as_constant().map(Value::to_json), Some("\"a \\\"b\\\"\"".into()));
    assert_eq!(uel("plain").as_constant().map(Value::to_json), Some("\"plain\"".into()));
    assert_eq!(uel("").as_constant().map(Value::to_json), Some("\"\"".into()));
    assert_eq!(uel("a \\${b}").as_constant().map(Value::to_json), Some("\"a ${b}\"".into()));
    assert!(uel("${1}").as_constant().is_none());
    assert_eq!(feel("a"), feel("a").clone());
    assert_ne!(feel("a"), feel("a "));
    assert_ne!(feel("a"), uel("a"));
    assert_eq!(format!("{:?}", feel("a")), "Feel(\"a\")");
}

#[test]
fn printing_is_canonical() {
    let feel_rows = [
        ("1+2*3", "1 + 2 * 3"),
        ("(1+2)*3", "(1 + 2) * 3"),
        ("((a))", "a"),
        ("1-(2-3)", "1 - (2 - 3)"),
        ("(1-2)-3", "1 - 2 - 3"),
        ("- a ** 2", "-a ** 2"),
        ("-(a ** 2)", "-(a ** 2)"),
        ("a and(b or c)", "a and (b or c)"),
        ("if a then b else c", "if a then b else c"),
        ("(if a then b else c)+1", "(if a then b else c) + 1"),
        ("x in xs", "x in (xs)"),
        ("x in [1..2)", "x in [1..2)"),
        ("x in ]1..2[", "x in (1..2)"),
        ("x in (<1,>2)", "x in (< 1, > 2)"),
        ("x in true", "x in true"),
        ("x between 1 and 2", "x between 1 and 2"),
        ("{\"a\":1,`b c`:2}", "{a: 1, \"b c\": 2}"),
        ("`a`.`odd name`", "a.`odd name`"),
        ("(a.b)[1].c", "(a.b)[1].c"),
        ("not ( a )", "not(a)"),
        ("1.50", "1.5"),
        ("\"a\\n\\d\"", "\"a\\n\\\\d\""),
        ("a // why", "a"),
    ];
    for (text, expected) in feel_rows {
        assert_eq!(print(&feel(text)), expected, "{text}");
    }
    let uel_rows = [
        ("${a eq 1 and not b}", "${a == 1 && !b}"),
        ("#{a div 2 mod 3}", "#{a / 2 % 3}"),
        ("${(a?b:c)?d:e}", "${(a ? b : c) ? d : e}"),
        ("${a?b:c?d:e}", "${a ? b : c ? d : e}"),
        ("${!(a == b)}", "${!(a == b)}"),
        ("${\"it's\"}", "${'it\\'s'}"),
        ("x \\${y} ${a}", "x \\${y} ${a}"),
        ("plain \\#{y}", "plain \\#{y}"),
        ("${a [ 'b' ] . c}", "${a['b'].c}"),
        ("${1.}", "${1.0}"),
        ("${empty(a)}", "${empty a}"),
    ];
    for (text, expected) in uel_rows {
        assert_eq!(print(&uel(text)), expected, "{text}");
    }
}

/// The same words mean something else to another reader.
#[test]
fn equal_expressions_are_read_alike() {
    let names = Names::new();
    let standard = Expression::parse_with(Mode::Standard, "1", &names).expect("FEEL");
    let camunda = Expression::parse_with(Mode::Camunda8, "1", &names).expect("FEEL");
    let tests = Expression::parse_unary_tests(Mode::Camunda8, "1", &names).expect("FEEL");
    let constant = Expression::constant(Value::Int(1));
    let uel = Expression::parse(Language::Uel, "1").expect("UEL");
    let all = [standard, camunda, tests, constant, uel];
    for (at, one) in all.iter().enumerate() {
        for (other_at, other) in all.iter().enumerate() {
            assert_eq!(one == other, at == other_at, "{one:?} {at} {other_at}");
        }
    }
}

/// What no automaton can do is said when the pattern is read, where it is written down.
#[test]
fn patterns_that_cannot_run_are_refused() {
    for (language, text, message) in [
        (Language::Feel, r#"matches(a, "a(?=b)")"#, "look-around in a regular expression"),
        (Language::Feel, r#"split(string: a, delimiter: "(a)\\1")"#, "a back-reference in a"),
        (Language::Uel, "${a.matches('(?!x).*')}", "look-around in a regular expression"),
        (Language::Uel, "${a.replaceAll('x++', '')}", "a possessive repetition in a regular"),
    ] {
        let error = Expression::parse(language, text).expect_err(text);
        assert!(error.message.starts_with(message), "{text}: {error}");
        assert!(error.message.ends_with("is not supported"), "{text}: {error}");
    }
}

#[test]
fn xml_is_known_to_uel_and_fails_where_it_is_read() {
    let expression = Expression::parse(Language::Uel, "${XML('<x/>').name()}").expect("it parses");
    let nothing = BTreeMap::<Arc<str>, Value>::new();
    let failed = expression.evaluate(&Environment::new(&nothing, Timestamp::from_ms(0)));
    assert_eq!(failed.expect_err("nothing reads it").to_string(), "XML cannot be read here");
}

#[test]
fn groups_of_nobody_are_null() {
    let expression = Expression::parse(Language::Uel, "${currentUserGroups()}").expect("it parses");
    let nothing = BTreeMap::<Arc<str>, Value>::new();
    let evaluated = expression.evaluate(&Environment::new(&nothing, Timestamp::from_ms(0)));
    assert_eq!(evaluated.expect("it has a value").value.to_json(), "null");
}
