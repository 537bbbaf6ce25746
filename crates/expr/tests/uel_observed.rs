//! UEL against running engines: Camunda 7.24 and Flowable 8.0.
//!
//! A line of `engines.tsv` is an engine, or `both`, an expression and the outcome: type and text
//! of the value, `refused` for an error of syntax, `failed` for one of evaluation.
//! `differences.tsv` adds our outcome and the reason why it is another.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_expr::{
    Argument, Beans, Effect, Environment, Expression, Holder, Host, Language, Place, Profile,
};
use orloj_types::{Document, Temporal, Timestamp, Value};

/// 2030-01-01T00:00:00Z
const NOW: Timestamp = Timestamp::from_ms(1_893_456_000_000);
const VARIABLES: &str = r#"{
    "a": 1, "b": 2, "i": 1, "t": "T", "vip": true, "nul": null, "big": 9007199254740993,
    "dbl": 0.1, "neg": -4, "xs": [1, 2, 3], "xs2": [1, 2, 3], "xsd": [1.0, 2.0, 3.0],
    "nolist": [], "nomap": {}, "odd name": 7, "odd-name": 8,
    "order": {
        "total": 150, "vip": true, "limit": 1,
        "items": [{"sku": "x", "qty": 1}, {"sku": "y", "qty": 2}]
    },
    "s": "Hello World", "e": "", "csv": "a,b,c", "num": "42", "sp": "  pad  ",
    "names": ["ann", "bob", "cyd"], "flag": false,
    "json": "{\"id\":7,\"name\":\"ann\",\"tags\":[\"x\",\"y\"],\"addr\":{\"city\":\"Brno\",\"zip\":60200},\"ok\":true,\"none\":null,\"rate\":1.5}"
}"#;

struct World {
    profile: Profile,
    variables: BTreeMap<Arc<str>, Value>,
}

impl World {
    fn new(profile: Profile) -> Self {
        let document = Document::parse(VARIABLES).expect("JSON");
        let mut variables: BTreeMap<Arc<str>, Value> =
            document.0.iter().map(|(name, value)| (name.clone(), Value::from(value))).collect();
        for (name, text) in
            [("dec", "1.50"), ("dec2", "1.5"), ("ten", "10.00"), ("huge", "1e30"), ("tiny", "1e-7")]
        {
            variables.insert(name.into(), Value::Decimal(text.parse().expect("a number")));
        }
        for (name, text) in [("day", "2030-01-31T09:30:15.250Z"), ("day2", "2030-02-01T00:00:00Z")]
        {
            let date = Temporal::parse(text).expect("a date and time");
            variables.insert(name.into(), Value::Temporal(Arc::new(date)));
        }
        Self { profile, variables }
    }
}

/// Of a task with the name of its element, that nobody is to do.
fn task_fact(fact: &str) -> Option<Value> {
    Some(match fact {
        "id" => Value::text("TID"),
        "name" => Value::text("Ask"),
        "assignee" | "owner" | "description" | "category" | "formKey" => Value::Null,
        "priority" => Value::Int(50),
        _ => return None,
    })
}

impl Host for World {
    fn profile(&self) -> Profile {
        self.profile
    }

    fn fact(&self, holder: Holder, fact: &str) -> Option<Value> {
        let camunda = self.profile == Profile::Camunda;
        let is_instance = match holder {
            Holder::Task => return task_fact(fact),
            Holder::Caller | Holder::ExternalTask => return None,
            // In Camunda the execution is that of the instance here.
            Holder::Ancestor(1) if !camunda => true,
            Holder::Ancestor(_) => return None,
            Holder::Instance => true,
            Holder::Execution => camunda,
            Holder::Element => {
                return match fact {
                    "id" => Some(Value::text("u")),
                    "name" => Some(Value::text("Do it")),
                    _ => None,
                };
            }
            Holder::Definition => {
                return match fact {
                    "id" => Some(Value::text("p:1:UUID")),
                    "key" => Some(Value::text("p")),
                    _ => None,
                };
            }
        };
        Some(match fact {
            "id" if is_instance => Value::text("PID"),
            "id" => Value::text("UUID"),
            "activityInstanceId" => Value::text("u:UUID"),
            "parentActivityInstanceId" => Value::text("PID"),
            "canceled" | "suspended" | "concurrent" | "multiInstanceRoot" => Value::Bool(false),
            "scope" | "processInstanceType" => Value::Bool(is_instance),
            "processInstanceId" | "rootProcessInstanceId" => Value::text("PID"),
            "businessKey" => Value::text("BK-1"),
            "ownBusinessKey" if is_instance => Value::text("BK-1"),
            "ownBusinessKey" => Value::Null,
            "currentActivityId" => Value::text("u"),
            "processDefinitionId" => Value::text("p:1:UUID"),
            "processDefinitionKey" => Value::text("p"),
            "active" => Value::Bool(true),
            "currentActivityName" | "eventName" | "superExecutionId" => Value::Null,
            "tenantId" if camunda => Value::Null,
            "tenantId" => Value::text(""),
            "parentId" if is_instance => Value::Null,
            "parentId" => Value::text("PID"),
            _ => return None,
        })
    }

    fn variable_names(&self) -> Vec<Arc<str>> {
        self.variables.keys().cloned().collect()
    }

    fn local_names(&self, holder: Holder) -> Vec<Arc<str>> {
        let is_own = holder == Holder::Execution && self.profile == Profile::Camunda;
        if is_own { self.variable_names() } else { Vec::new() }
    }

    fn local_variable(&self, holder: Holder, name: &str) -> Option<Value> {
        let is_own = holder == Holder::Execution && self.profile == Profile::Camunda;
        self.variables.get(name).filter(|_| is_own).cloned()
    }

    fn variable_from(&self, _holder: Holder, name: &str) -> Option<Value> {
        self.variables.get(name).cloned()
    }

    fn user(&self) -> Option<Arc<str>> {
        Some("demo".into())
    }

    fn groups(&self) -> Vec<Arc<str>> {
        vec!["sales".into(), "admin".into()]
    }

    fn beans(&self) -> Option<&dyn Beans> {
        Some(self)
    }
}

impl Beans for World {
    fn contains(&self, bean: &str) -> bool {
        bean == "greeter"
    }

    fn call(
        &self,
        _bean: &str,
        method: &str,
        arguments: &[Argument],
    ) -> Option<Result<Value, String>> {
        let text = |at: usize| match &arguments[at] {
            Argument::Value(Value::Text(text)) => text.to_string(),
            Argument::Value(Value::Null) if self.profile == Profile::Camunda => String::new(),
            Argument::Value(other) => other.to_json(),
            other => format!("{other:?}"),
        };
        let number = |at: usize| text(at).parse::<f64>().unwrap_or(0.0) as i64;
        Some(Ok(match (method, arguments.len()) {
            ("getName", 0) => Value::text("greeter"),
            ("isReady", 0) => Value::Bool(true),
            ("hello", 1) => Value::text(format!("hello {}", text(0))),
            ("hello", 2) => Value::text(format!("hello {} and {}", text(0), text(1))),
            ("sum", 2) => Value::Int(number(0) + number(1)),
            _ => return None,
        }))
    }
}

#[test]
fn uel_gives_what_the_engines_give() {
    let mut wrong = Vec::new();
    let mut rows = 0;
    for line in include_str!("uel/engines.tsv").lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let [engine, text, expected] = columns[..] else { panic!("three columns: {line}") };
        for profile in profiles(engine) {
            rows += 1;
            let found = outcome(profile, text);
            if !agrees(&found, expected) {
                wrong.push(format!("{engine}\t{text}\t{expected}\n    found {found}"));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {rows}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(rows > 1_000, "{rows}");
}

#[test]
fn differences_are_the_known_ones() {
    for line in include_str!("uel/differences.tsv").lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let [engine, text, theirs, ours, _reason] = columns[..] else {
            panic!("five columns: {line}");
        };
        let found = profiles(engine).into_iter().map(|profile| outcome(profile, text));
        let wrong: Vec<String> = found.filter(|found| !agrees(found, theirs)).collect();
        assert!(!wrong.is_empty(), "{text} is no difference any more");
        assert!(wrong.iter().all(|found| agrees(found, ours)), "{text}: {wrong:?}");
    }
}

#[test]
fn decisions_have_functions_that_processes_have_not() {
    let mut rows = 0;
    for line in include_str!("uel/decisions.tsv").lines() {
        let (text, expected) = line.split_once('\t').expect("two columns");
        let expression = Expression::parse(Language::Uel, text).expect(text);
        for profile in profiles("both") {
            assert!(outcome(profile, text).starts_with("refused"), "{text}");
            assert_eq!(evaluated(profile, &expression), expected, "{text}");
        }
        rows += 1;
    }
    assert!(rows > 20, "{rows}");
}

fn profiles(engine: &str) -> Vec<Profile> {
    match engine {
        "camunda" => vec![Profile::Camunda],
        "flowable" => vec![Profile::Flowable],
        _ => vec![Profile::Camunda, Profile::Flowable],
    }
}

/// Messages are ours, and the engines compute with fewer digits or show more.
fn agrees(found: &str, expected: &str) -> bool {
    match expected {
        "refused" | "failed" => found.starts_with(expected),
        _ => found == expected,
    }
}

fn outcome(profile: Profile, text: &str) -> String {
    match Expression::parse_uel(text, profile) {
        Ok(expression) => evaluated(profile, &expression),
        Err(error) => format!("refused {error}"),
    }
}

fn evaluated(profile: Profile, expression: &Expression) -> String {
    let world = World::new(profile);
    let environment = Environment::new(&world.variables, NOW).with_host(&world);
    match expression.evaluate_with_effects(&environment) {
        Err(error) => format!("failed {error}"),
        Ok((evaluated, _)) => typed(&evaluated.value),
    }
}

fn typed(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(flag) => format!("boolean {flag}"),
        Value::Int(number) => format!("int {number}"),
        Value::Double(_) => format!("double {}", java(value)),
        Value::Decimal(_) => format!("decimal {}", java(value)),
        Value::Text(text) => format!("text {text}"),
        Value::Temporal(at) => {
            let text = at.to_string();
            match text.split_once('.') {
                Some((whole, fraction)) => {
                    format!("date {whole}.{:0<3}Z", fraction.trim_end_matches('Z'))
                }
                None => format!("date {text}"),
            }
        }
        other => format!("value {}", java(other)),
    }
}

/// As a composite writes it.
fn java(value: &Value) -> String {
    let scope = BTreeMap::from([(Arc::from("it"), value.clone())]);
    let expression = Expression::parse(Language::Uel, " ${it}").expect("a composite");
    match expression.evaluate(&Environment::new(&scope, NOW)).expect("a text").value {
        Value::Text(text) => text[1..].to_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_would_change_something_comes_back() {
    let world = World::new(Profile::Camunda);
    let environment = Environment::new(&world.variables, NOW).with_host(&world);
    let rows = [
        ("${execution.setVariable('z', a + 1)}", "z = 2"),
        ("${execution.setVariableLocal('z', 'x')}", "local z = x"),
        ("${execution.removeVariable('a')}", "no a"),
        ("${xs.add(4)}", "xs = [1, 2, 3, 4]"),
        ("${names.remove('bob')}", "names = [ann, cyd]"),
        (
            "${order.put('total', 1)}",
            "order = {items=[{qty=1, sku=x}, {qty=2, sku=y}], limit=1, total=1, vip=true}",
        ),
        (
            "${order.items[1].put('sku', 'z')}",
            "order = {items=[{qty=1, sku=x}, {qty=2, sku=z}], limit=1, total=150, vip=true}",
        ),
        ("${order.items.clear()}", "order = {items=[], limit=1, total=150, vip=true}"),
        (
            "${execution.setVariables(order)}",
            "items = [{qty=1, sku=x}, {qty=2, sku=y}], limit = 1, total = 150, vip = true",
        ),
        ("${task.setVariableLocal('z', 1)}", "local z = 1"),
        ("${task.setAssignee('bob')}", r#"Task Assignee(Some("bob"))"#),
        ("${task.setAssignee(5)}", r#"Task Assignee(Some("5"))"#),
        ("${task.setAssignee(null)}", "Task Assignee(None)"),
        ("${task.setPriority('11')}", "Task Priority(11)"),
        ("${task.setPriority(null)}", "Task Priority(0)"),
        ("${task.setDueDate(nul)}", "Task DueDate(None)"),
        (
            "${task.addCandidateUsers(names)}",
            r#"Task AddCandidateUser("ann"), Task AddCandidateUser("bob"), Task AddCandidateUser("cyd")"#,
        ),
        ("${execution.setBusinessKey('K')}", r#"Execution BusinessKey(Some("K"))"#),
        // A copy is nobody's variable.
        ("${order.keySet().clear()}", ""),
        ("${xs.subList(0, 1).add(9)}", ""),
    ];
    for (text, expected) in rows {
        let expression = Expression::parse(Language::Uel, text).expect(text);
        let (_, effects) = expression.evaluate_with_effects(&environment).expect(text);
        let shown: Vec<String> = effects
            .iter()
            .map(|effect| match effect {
                Effect::SetVariable { place: Place::Nearest(_), name, value } => {
                    format!("{name} = {}", java(value))
                }
                Effect::SetVariable { name, value, .. } => {
                    format!("local {name} = {}", java(value))
                }
                Effect::RemoveVariable { name, .. } => format!("no {name}"),
                Effect::SetFact { holder, change } => format!("{holder:?} {change:?}"),
            })
            .collect();
        assert_eq!(shown.join(", "), expected, "{text}");
        // Where nothing may change, it is an error.
        assert_eq!(expression.evaluate(&environment).is_err(), !expected.is_empty(), "{text}");
    }
}

#[test]
fn changes_are_seen_by_the_rest_of_the_expression() {
    let world = World::new(Profile::Camunda);
    let environment = Environment::new(&world.variables, NOW).with_host(&world);
    let text =
        "${xs.add(4)}${xs.size()}${execution.setVariable('z', 7)}${z}${execution.getVariable('z')}";
    let expression = Expression::parse(Language::Uel, text).expect(text);
    let (evaluated, effects) = expression.evaluate_with_effects(&environment).expect(text);
    assert_eq!(evaluated.value.to_json(), "\"true477\"");
    assert_eq!(effects.len(), 2);
}

#[test]
fn errors_name_the_method_and_its_receiver() {
    let world = World::new(Profile::Camunda);
    let environment = Environment::new(&world.variables, NOW).with_host(&world);
    let rows = [
        (
            "${s.getClass()}",
            "a string has no method 'getClass' with 0 arguments that may be called",
            3,
        ),
        ("${xs.stream()}", "a list has no method 'stream' with 0 arguments that may be called", 4),
        (
            "${greeter.nope(1)}",
            "the bean 'greeter' has no method 'nope' with 1 arguments that may be called",
            9,
        ),
        (
            "${execution.getProcessEngineServices()}",
            "the execution has no method 'getProcessEngineServices' with 0 arguments that may be called",
            11,
        ),
        ("${s.class}", "unknown property used in expression: a string has no property 'class'", 3),
    ];
    for (text, message, offset) in rows {
        let expression = Expression::parse(Language::Uel, text).expect(text);
        let error = expression.evaluate(&environment).expect_err(text);
        assert_eq!(error.message(), message);
        assert_eq!(error.offset(), offset, "{text}");
    }
    // Without a host nothing of it is there.
    let alone = Environment::new(&world.variables, NOW);
    for text in ["${execution.id}", "${greeter.name}", "${authenticatedUserId}", "${task.id}"] {
        let expression = Expression::parse(Language::Uel, text).expect(text);
        assert!(expression.evaluate(&alone).is_err(), "{text}");
    }
}

#[test]
fn hostile_calls_end_within_their_budget() {
    let mut variables = BTreeMap::new();
    variables.insert(Arc::from("long"), Value::text("a".repeat(1_000_000)));
    variables.insert(Arc::from("x"), Value::List(Arc::new(vec![Value::Int(1)])));
    let world = World::new(Profile::Camunda);
    let environment = Environment::new(&variables, NOW).with_host(&world);
    for text in [
        "${'x'.repeat(2000000000)}",
        "${long.replace('', long)}",
        "${long.replaceAll('a', long)}",
        "${long.concat(long).concat(long).concat(long).concat(long)}",
        "${long.matches('(a+)+(a+)+(a+)+b')}",
        "${long.matches('((a{1,1000}){1,1000}){1,1000}')}",
        "${x.add(x)}${x.add(x)}${x.add(x)}${x.add(x)}${x.add(x)}${x.add(x)}${x.add(x)}${x.add(x)}\
         ${x.add(x)}${x.add(x)}${x.add(x)}${x.add(x)}${x.add(x)}${x.add(x)}${x.add(x)}${x.add(x)}\
         ${x.add(x)}${x.add(x)}${x.add(x)}${x.add(x)}${x.add(x)}${x.add(x)}${x.add(x)}${S(x).toString()}",
        "${long.split('').size() > 0 && long.split('').size() > 0 && long.split('').size() > 0}",
    ] {
        let expression = Expression::parse(Language::Uel, text).expect(text);
        // An error or an answer, but soon and small.
        if let Ok((evaluated, effects)) = expression.evaluate_with_effects(&environment) {
            assert!(evaluated.value.to_json().len() < 1_000, "{text}");
            assert!(effects.is_empty(), "{text}");
        }
    }
}
