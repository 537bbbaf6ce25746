//! What is no expression, or not supported, is refused with a name and a place.

use orloj_expr::{Expression, Language, NESTING_MAX, TEXT_BYTES_MAX, zeebe_expression};

fn refusal(language: Language, text: &str) -> (String, usize) {
    let error = Expression::parse(language, text).expect_err(text);
    (error.message, error.offset)
}

#[test]
fn unsupported_feel_is_named() {
    let rows = [
        ("a + count(xs)", "the function 'count' is not supported", 4),
        ("string length(t) > 3", "the function 'string length' is not supported", 0),
        ("a and upper case(t) = t", "the function 'upper case' is not supported", 6),
        ("get or else(a, 1)", "the function 'get or else' is not supported", 0),
        ("date and time(\"x\")", "the function 'date and time' is not supported", 0),
        (
            "years and months duration(a, b)",
            "the function 'years and months duration' is not supported",
            0,
        ),
        ("now()", "the function 'now' is not supported", 0),
        ("order.total()", "calling a function is not supported", 11),
        ("for x in xs return x", "'for' is not supported", 0),
        ("some x in xs satisfies x > 1", "'some' is not supported", 0),
        ("every x in xs satisfies x > 1", "'every' is not supported", 0),
        ("function(x) x", "'function' is not supported", 0),
        ("a instance of number", "'instance of' is not supported", 2),
        ("[1..5]", "a range outside of 'in' is not supported", 2),
        ("(1..5)", "a range outside of 'in' is not supported", 2),
        ("? > 1", "'?', the input of a unary test, is not supported", 0),
        ("a > @\"2020-01-01\"", "'@', a literal of a date, time or duration, is not supported", 4),
        ("2 * 1e3", "a number with an exponent is not supported", 4),
        ("1 in (= 1)", "a test with '=' is not supported", 6),
    ];
    for (text, message, offset) in rows {
        assert_eq!(refusal(Language::Feel, text), (message.to_owned(), offset), "{text}");
    }
}

#[test]
fn unsupported_uel_is_named() {
    let rows = [
        ("${execution.getVariable('x')}", "calling the method 'getVariable' is not supported", 12),
        ("${xs[0](1)}", "calling a method is not supported", 7),
        ("${now()}", "the function 'now' is not supported", 2),
        ("a ${vars:get('x')}", "the function 'vars' is not supported", 4),
        ("${var:lt('x', 1)}", "a function with a prefix is not supported", 5),
        ("${a = 1}", "an assignment is not supported", 4),
        ("${a; b}", "a sequence of expressions is not supported", 3),
        ("${[1, 2]}", "a literal of a list is not supported", 2),
        ("${{'a': 1}}", "a literal of a map or set is not supported", 2),
        ("${x -> x}", "'->', a lambda, is not supported", 4),
        ("${a instanceof b}", "'instanceof' is not supported", 4),
    ];
    for (text, message, offset) in rows {
        assert_eq!(refusal(Language::Uel, text), (message.to_owned(), offset), "{text}");
    }
}

#[test]
fn mistakes_have_a_place() {
    let rows = [
        (Language::Feel, "", "expected a value, found the end", 0),
        (Language::Feel, "1 +", "expected a value, found the end", 3),
        (Language::Feel, "a b", "expected an operator or the end, found 'b'", 2),
        (Language::Feel, "a == 1", "expected a value, found '='", 3),
        (Language::Feel, "\"open", "the text has no closing quote", 0),
        (Language::Feel, "`open", "the name has no closing back-tick", 0),
        (Language::Feel, "1 /* open", "the comment has no end", 2),
        (Language::Feel, "a # b", "unexpected character '#'", 2),
        (Language::Feel, "if a then b", "expected 'else', found the end", 11),
        (Language::Feel, "a < b < c", "comparisons cannot be chained", 6),
        (Language::Feel, "größe + ", "expected a value, found the end", 10),
        (Language::Feel, "{a 1}", "expected ':', found '}'", 4),
        (Language::Uel, "${a", "expected an operator or '}', found the end", 3),
        (Language::Uel, "x ${a} #{b}", "'#{' cannot follow '${' in one text", 7),
        (Language::Uel, "${'a\\n'}", "unknown escape '\\n' in a text", 4),
        (Language::Uel, "${99999999999999999999}", "the number is too large", 2),
        (Language::Uel, "ü ${a b}", "expected an operator or '}', found 'b'", 7),
    ];
    for (language, text, message, offset) in rows {
        assert_eq!(refusal(language, text), (message.to_owned(), offset), "{text}");
    }
}

#[test]
fn offsets_of_zeebe_attributes_count_the_sign() {
    let error = zeebe_expression("=a + count(b)").expect_err("a function");
    assert_eq!(error.offset, 5);
    assert_eq!(error.to_string(), "the function 'count' is not supported, at offset 5");
}

#[test]
fn nesting_and_length_are_limited() {
    let nested = |count: usize| format!("{}1{}", "(".repeat(count), ")".repeat(count));
    assert!(Expression::parse(Language::Feel, &nested(NESTING_MAX - 1)).is_ok());
    let (message, offset) = refusal(Language::Feel, &nested(NESTING_MAX));
    assert_eq!(message, "the expression is nested deeper than 200 levels");
    assert_eq!(offset, NESTING_MAX);
    let uel = |count: usize| format!("${{{}}}", nested(count));
    assert!(Expression::parse(Language::Uel, &uel(NESTING_MAX - 1)).is_ok());
    assert!(refusal(Language::Uel, &uel(NESTING_MAX)).0.contains("nested deeper"));

    let openings = ["-", "[", "{a:", "not(", "1 in [", "1 in (", "if ", "a[", "1 + (", "2 ** -"];
    for opening in openings {
        let text = opening.repeat(100_000);
        assert!(Expression::parse(Language::Feel, &text).is_err(), "{opening}");
    }
    for opening in ["-", "!", "empty ", "(", "a[", "a ? ", "not "] {
        let text = format!("${{{}", opening.repeat(100_000));
        assert!(Expression::parse(Language::Uel, &text).is_err(), "{opening}");
    }
    let long = " ".repeat(TEXT_BYTES_MAX + 1);
    assert!(refusal(Language::Feel, &long).0.contains("longer than"));
    assert!(refusal(Language::Uel, &long).0.contains("longer than"));
}
