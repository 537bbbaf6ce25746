//! What is no expression, or not supported, is refused with a name and a place.

use orloj_expr::{Expression, Language, NESTING_MAX, TEXT_BYTES_MAX, zeebe_expression};

fn refusal(language: Language, text: &str) -> (String, usize) {
    let error = Expression::parse(language, text).expect_err(text);
    (error.message, error.offset)
}

#[test]
fn unsupported_feel_is_named() {
    let rows = [
        ("2 * 1e3", "a number with an exponent is not supported", 4),
        ("1 in (= 1)", "a test with '=' is not supported", 6),
        ("(!= 1)", "a range with '!=' is not supported", 1),
    ];
    for (text, message, offset) in rows {
        assert_eq!(refusal(Language::Feel, text), (message.to_owned(), offset), "{text}");
    }
}

#[test]
fn unsupported_uel_is_named() {
    let rows = [
        ("${f(1)(2)}", "the function 'f' is not supported", 2),
        ("${now()(2)}", "calling a value is not supported", 7),
        ("a ${x:get('x')}", "the function 'x:get' is not supported", 4),
        ("${vars:nope(x)}", "the function 'vars:nope' is not supported", 2),
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
        (
            Language::Feel,
            "a b",
            "expected an operator or the end, found 'b'; a name with blanks stands between \
             back-ticks",
            2,
        ),
        (Language::Feel, "a == 1", "expected a value, found '='", 3),
        (Language::Feel, "\"open", "the text has no closing quote", 0),
        (Language::Feel, "`open", "the name has no closing back-tick", 0),
        (Language::Feel, "1 /* open", "the comment has no end", 2),
        (Language::Feel, "a # b", "unexpected character '#'", 2),
        (Language::Feel, "if a then b", "expected 'else', found the end", 11),
        (Language::Feel, "a < b < c", "comparisons cannot be chained", 6),
        (Language::Feel, "größe + ", "expected a value, found the end", 10),
        (Language::Feel, "{a 1}", "expected ':', found '}'", 4),
        (Language::Feel, "for x on xs return x", "expected 'in', found 'on'", 6),
        (Language::Feel, "some x in xs return x", "expected 'satisfies', found 'return'", 13),
        (Language::Feel, "count(a, b: 1)", "arguments are all named or none is", 0),
        (Language::Feel, "[1..2", "expected the end of the range, found the end", 5),
        (Language::Feel, "@5", "expected a text, found '5'", 1),
        (Language::Feel, "1 instance of 5", "expected a type, found '5'", 14),
        (
            Language::Feel,
            "function(a b",
            "expected ')', found 'b'; a name with blanks stands between back-ticks",
            11,
        ),
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
    let error = zeebe_expression("=a + count(b").expect_err("unfinished");
    assert_eq!(error.offset, 12);
    assert_eq!(error.to_string(), "expected ')', found the end, at offset 12");
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
