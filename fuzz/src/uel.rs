//! UEL under the rules of both engines.

use std::sync::Arc;

use orloj_expr::{
    Environment, EvalError, Expression, Holder, Host, Language, Profile, excerpt, print,
};
use orloj_types::{Document, Value};

use crate::world;

struct Surroundings {
    profile: Profile,
    variables: Document,
}

impl Host for Surroundings {
    fn profile(&self) -> Profile {
        self.profile
    }

    fn variable_names(&self) -> Vec<Arc<str>> {
        self.variables.0.keys().cloned().collect()
    }

    fn local_variable(&self, _holder: Holder, name: &str) -> Option<Value> {
        self.variables.get(name).map(Value::from)
    }
}

pub fn check(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else { return false };
    let first = match Expression::parse(Language::Uel, text) {
        Ok(expression) => expression,
        Err(error) => {
            assert!(error.offset <= text.len(), "{error} is outside of {text:?}");
            excerpt(text, error.offset, &error.message);
            return false;
        }
    };
    let printed = print(&first);
    let second = match Expression::parse(Language::Uel, &printed) {
        Ok(expression) => expression,
        Err(error) => panic!("{text:?} is printed as {printed:?}: {error}"),
    };
    assert_eq!(print(&second), printed, "{text:?} is not printed the same again");
    for profile in [Profile::Camunda, Profile::Flowable] {
        let host = Surroundings { profile, variables: world::variables() };
        let one = outcome(&first, &host);
        let two = outcome(&second, &host);
        if let (Some(one), Some(two)) = (one, two) {
            assert_eq!(one, two, "{text:?} is printed as {printed:?}");
        }
    }
    true
}

/// Value and effects or the error, without places; `None` when the budget was used up.
fn outcome(expression: &Expression, host: &Surroundings) -> Option<String> {
    let environment =
        Environment::new(&host.variables, world::NOW).with_host(host).with_budget(world::BUDGET);
    match expression.evaluate_with_effects(&environment) {
        Ok((evaluated, effects)) => Some(format!("{} {effects:?}", evaluated.value.to_json())),
        Err(EvalError::Budget { .. }) => None,
        Err(error) => Some(error.message()),
    }
}

pub const SEEDS: &[&str] = &[
    "${amount > 100 and customer.vip}",
    "#{amount gt 100 && !empty name || not d}",
    "order ${a} of #{name}: ${b * 2}",
    "${a == 1 ? 'one' : \"other\"}",
    "${f[0] + f.size() - f.get(1)}",
    "${g['b'].c[0] div 2 mod 3 % 4 / 5}",
    "${execution.getVariable('amount') le 5}",
    "${execution.setVariable('x', a + 1)}",
    "${name.toUpperCase().substring(1, 3).concat('!')}",
    "${name.length() >= 3 and c.contains('ex')}",
    "${empty e or empty '' or empty f}",
    "${variables:get('amount') + vars:getOrDefault('no', 3)}",
    "${variables:contains(f, 1, 2)}",
    "${date:addDate(when, 1, 2, 3)}",
    "${now()} ${dateTime().plusDays(3).toDate()}",
    "${S('{\"a\": [1, 2]}').prop('a').elements().size()}",
    "${JSON(c).prop('x').stringValue()}",
    "${customer.name eq 'Bo' ? f : g}",
    "${-a - -2 * (3 + 4)}",
    "${1.5e3 + 0x10}",
    "${null == e && true != false}",
    "\\${not one} \\\\#{nor this}",
    "${execution.id} ${task.assignee}",
    "${currentUser()} ${currentUserGroups()}",
    "plain",
    "",
    "${a lt 2 and b ge 2.5 or c ne 'x'}",
    "${collection:allOf(f, 1)} ${f.contains(2)}",
    "${'it''s' += \"x\\\"y\"}",
    "${bean.method(a, 'b', [1])}",
];

pub const WORDS: &[&str] = &[
    "${",
    "#{",
    "}",
    " and ",
    " or ",
    " not ",
    " empty ",
    " div ",
    " mod ",
    " eq ",
    " ne ",
    " lt ",
    " gt ",
    " le ",
    " ge ",
    " instanceof ",
    "&&",
    "||",
    "!",
    "? ",
    " : ",
    "null",
    "true",
    "'",
    "\"",
    "\\",
    ".",
    "[",
    "]",
    "(",
    ")",
    ",",
    "+",
    "-",
    "*",
    "/",
    "%",
    "==",
    "!=",
    "<=",
    "execution.",
    "task.",
    ".size()",
    ".get(0)",
    ".substring(1)",
    ".getClass()",
    ".toString()",
    ".replaceAll('a+', 'b')",
    ".matches('(a+)+')",
    ".split(',')",
    "variables:",
    "vars:eq('a', 1)",
    "date:now()",
    "1",
    "9999999999",
    "1.0",
    "name",
    "f",
    "g",
    "a",
];
