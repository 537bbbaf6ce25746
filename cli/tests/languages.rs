//! Expressions, timers and decisions at the terminal: what is said about good and bad input.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod terminal;

use terminal::transcript;

#[test]
fn feel_shows_values() {
    insta::assert_snapshot!(transcript(&[
        &[
            "feel",
            "amount > 100 and customer.vip",
            "--vars",
            r#"{"amount": 150, "customer": {"vip": true}}"#
        ],
        &["feel", "= -1 + 2"],
        &["feel", "-a", "--vars", r#"{"a": 12345678901234567890123456789}"#],
        &["feel", "{a: 1, b c: [1, \"x\"], d: @\"2030-01-31\"}"],
        &["feel", "{a: 1, b c: [1, \"x\"], d: @\"2030-01-31\"}", "-o", "json"],
        &["feel", "@\"2030-01-31\" + @\"P1M\"", "--mode", "standard"],
        &[
            "feel",
            "first name + \"!\"",
            "--vars",
            r#"{"first name": "Anna"}"#,
            "--mode",
            "standard"
        ],
        &["feel", "[1..5), 7", "--unary", "--input", "4"],
        &["feel", "[1..5), 7", "--unary", "--input", "5"],
        &["feel", "< -1", "--unary", "--input", "-2"],
    ]));
}

#[test]
fn feel_warns_and_points_at_mistakes() {
    insta::assert_snapshot!(transcript(&[
        &["feel", "a + missing", "--vars", r#"{"a": 1}"#],
        &["feel", "for i in 1..3 return"],
        &["feel", "[1,\n 2 3]"],
        &["feel", "größe +* 2"],
        &["feel", "count(for i in 1..1000000 return i)"],
        &["feel", "1", "--vars", "[1]"],
        &["feel", "1", "--unary", "--input", "x"],
    ]));
}

#[test]
fn the_modes_of_feel_differ() {
    insta::assert_snapshot!(transcript(&[
        &["feel", "substring(\"abc\", 0)", "--mode", "standard"],
        &["feel", "substring(\"abc\", 0)", "--mode", "camunda"],
        &["feel", "count(1)", "--mode", "standard"],
        &["feel", "count(1)", "--mode", "camunda"],
        &["feel", "is defined(x)", "--mode", "standard"],
        &["feel", "is defined(x)", "--mode", "camunda"],
        &["feel", "{d: @\"P1D\"}", "--mode", "standard"],
        &["feel", "{d: @\"P1D\"}", "--mode", "camunda"],
    ]));
}

#[test]
fn uel_shows_values_and_what_would_change() {
    insta::assert_snapshot!(transcript(&[
        &["uel", "${amount * 2} for ${name}", "--vars", r#"{"amount": 5, "name": "Bo"}"#],
        &["uel", "#{amount gt 3 ? list : null}", "--vars", r#"{"amount": 5, "list": [1, 2]}"#],
        &["uel", "${map}", "--vars", r#"{"map": {"a b": 1}}"#, "-o", "json"],
        &["uel", "plain text"],
        &["uel", "${execution.setVariable('x', 5 + 1)}"],
    ]));
}

#[test]
fn uel_points_at_mistakes() {
    let null = r#"{"name": null}"#;
    insta::assert_snapshot!(transcript(&[
        &["uel", "${a + }"],
        &["uel", "total: ${nothing}"],
        &["uel", "${'a'.getClass()}"],
        &["uel", "${name.toUpperCase()}", "--vars", null, "--dialect", "camunda7"],
        &["uel", "${name.toUpperCase()}", "--vars", null, "--dialect", "flowable"],
    ]));
}

#[test]
fn timers_list_their_firings() {
    let from = ["--from", "2030-01-01T00:00:00Z"];
    let with = |words: &[&'static str]| -> Vec<&'static str> { [words, &from].concat() };
    insta::assert_snapshot!(transcript(&[
        &with(&["timer", "R5/2030-01-31T09:00:00+01:00[Europe/Prague]/P1M"]),
        &with(&["timer", "0 0 9 ? * MON-FRI", "--zone", "Europe/Prague", "-n", "3"]),
        // Sunday is 0 or 7 for one, 1 for the other.
        &with(&["timer", "0 0 9 ? * 1", "-n", "1"]),
        &with(&["timer", "0 0 9 ? * 1", "-n", "1", "--dialect", "flowable"]),
        // The clocks skip this hour on the last Sunday of March.
        &with(&["timer", "0 30 2 30,31 3 *", "--zone", "Europe/Prague", "-n", "3"]),
        &with(&["timer", "R2/PT10M", "-o", "json"]),
        &with(&["timer", "P1M", "--zone", "-05:00"]),
        &with(&["timer", "-P1D"]),
        &with(&["timer", "0 0 0 30 2 *"]),
    ]));
}

#[test]
fn timers_point_at_mistakes() {
    insta::assert_snapshot!(transcript(&[
        &["timer", "0 0 25 * * *"],
        &["timer", "P1X"],
        &["timer", "R3/2030-01-31T09:00:00Z/"],
        &["timer", "soon"],
        &["timer", "PT1S", "--zone", "Europe/Nowhere"],
    ]));
}

#[test]
fn decisions_show_the_rules_that_matched() {
    let winter = r#"{"season": "winter", "guests": 8}"#;
    let spring = r#"{"season": "spring", "guests": 50}"#;
    insta::assert_snapshot!(transcript(&[
        &["decision", "evaluate", "dish.dmn", "--vars", winter],
        &["decision", "evaluate", "dish.dmn", "--vars", winter, "--explain"],
        &["decision", "evaluate", "dish.dmn", "--vars", winter, "-o", "json"],
        &["decision", "evaluate", "dish.dmn", "--decision", "Dish", "--vars", spring],
        &["decision", "evaluate", "user.dmn", "--import", "library.dmn"],
    ]));
}

#[test]
fn decisions_of_camunda_8_see_all_variables() {
    let vars = r#"{"total": 200, "surcharge": 0.5}"#;
    insta::assert_snapshot!(transcript(&[
        &["decision", "evaluate", "fee.dmn", "--decision", "fee", "--vars", vars],
        &[
            "decision",
            "evaluate",
            "fee.dmn",
            "--decision",
            "fee",
            "--vars",
            vars,
            "--mode",
            "standard"
        ],
    ]));
}

#[test]
fn decisions_of_flowable_are_uel() {
    let large = r#"{"amount": 150, "customer": "Anna"}"#;
    insta::assert_snapshot!(transcript(&[
        &["decision", "evaluate", "rebate.dmn", "--vars", large],
        &["decision", "evaluate", "rebate.dmn", "--vars", large, "--mode", "flowable"],
        &["decision", "lint", "rebate.dmn", "--mode", "flowable"],
    ]));
}

#[test]
fn decisions_say_what_they_cannot_do() {
    insta::assert_snapshot!(transcript(&[
        &["decision", "evaluate", "fee.dmn"],
        &["decision", "evaluate", "dish.dmn", "--decision", "drink"],
        &["decision", "evaluate", "broken.dmn"],
        &["decision", "evaluate", "nowhere.dmn"],
    ]));
}

#[test]
fn lint_lists_all_problems() {
    insta::assert_snapshot!(transcript(&[
        &["decision", "lint", "dish.dmn", "library.dmn"],
        &["decision", "lint", "dish.dmn", "broken.dmn"],
        &["decision", "lint", "broken.dmn", "-o", "json"],
        &["decision", "lint", "user.dmn"],
        &["decision", "lint", "user.dmn", "library.dmn"],
    ]));
}
