//! What scripts read from and want done to their process.

use std::sync::Arc;

use orloj_groovy::{
    DiagnosticKind, Dialect, Effect, Failure, Host, Options, Outcome, Script, VariableScope, facts,
};
use orloj_types::{Timestamp, Value};

struct Process;

impl Host for Process {
    fn variable(&self, scope: &VariableScope, name: &str) -> Option<Value> {
        match (scope, name) {
            (VariableScope::Nearest | VariableScope::Local, "mine") => Some(Value::Int(1)),
            (VariableScope::Local | VariableScope::ParentLocal, _) => None,
            (_, "items") => Some(Value::list(vec![Value::text("a")])),
            (_, "nothing") => Some(Value::Null),
            _ => None,
        }
    }

    fn names(&self, scope: &VariableScope) -> Vec<Arc<str>> {
        match scope {
            VariableScope::Local => vec!["mine".into()],
            _ => vec!["items".into(), "mine".into(), "nothing".into()],
        }
    }

    fn fact(&self, name: &str) -> Option<Value> {
        match name {
            facts::PROCESS_INSTANCE_ID => Some(Value::text("7")),
            facts::BUSINESS_KEY => Some(Value::text("order-1")),
            "task.assignee" => Some(Value::text("anna")),
            _ => None,
        }
    }

    fn has_task(&self) -> bool {
        true
    }
}

fn run(source: &str) -> Outcome {
    let script = Script::parse(source).unwrap_or_else(|error| panic!("{source}: {error}"));
    script.run(&Process, Options::new(Dialect::Flowable, Timestamp::from_ms(1_000)))
}

fn shown(outcome: &Outcome) -> Vec<String> {
    outcome
        .effects
        .iter()
        .map(|effect| match effect {
            Effect::Set { scope, name, value } => format!("{scope:?} {name} = {}", value.to_json()),
            Effect::Remove { scope, name } => format!("{scope:?} {name} removed"),
            Effect::Changed { name, value } => format!("{name} became {}", value.to_json()),
            Effect::SetFact { name, value } => format!("fact {name} = {}", value.to_json()),
        })
        .collect()
}

#[test]
fn typed_values_that_are_transient_end_with_the_transaction() {
    let outcome = run("import org.camunda.bpm.engine.variable.Variables
execution.setVariable('a', Variables.stringValue('kept'))
execution.setVariable('b', Variables.stringValue('gone', true))
execution.setVariableLocal('c', Variables.integerValue(3, true))
execution.setTransientVariableLocal('d', 4)
b + c");
    assert_eq!(outcome.result.as_ref().expect("a value").to_json(), r#""gone3""#);
    assert_eq!(
        shown(&outcome),
        [
            r#"Nearest a = "kept""#,
            r#"Transient b = "gone""#,
            "TransientLocal c = 3",
            "TransientLocal d = 4",
        ]
    );
}

#[test]
fn effects_are_told_in_order() {
    let outcome = run("execution.setVariable('a', 1)
execution.setVariableLocal('b', [x: 2.5])
execution.removeVariable('items')
execution.setTransientVariable('t', 'soon gone')
execution.getProcessInstance().setVariable('c', true)
execution.setVariable('d', 1, 'element')
task.setAssignee('bert')
a + mine");
    assert_eq!(outcome.result.as_ref().expect("a value").to_json(), "2");
    assert_eq!(
        shown(&outcome),
        [
            "Nearest a = 1",
            r#"Local b = {"x":2.5}"#,
            "Nearest items removed",
            r#"Transient t = "soon gone""#,
            "Instance c = true",
            r#"Element("element") d = 1"#,
            r#"fact task.assignee = "bert""#,
        ]
    );
}

#[test]
fn a_list_that_was_changed_in_place_is_stored() {
    assert_eq!(shown(&run("items << 'b'")), [r#"items became ["a","b"]"#]);
    let later = run("def l = []; execution.setVariable('l', l); l.add(5)");
    assert_eq!(shown(&later), ["Nearest l = [5]"]);
    assert!(shown(&run("items.size()")).is_empty());
}

#[test]
fn undeclared_names_are_stored_only_when_asked_to() {
    let script = Script::parse("n = 5; def local = 6; n + local").expect("a script");
    let mut options = Options::new(Dialect::Flowable, Timestamp::ZERO);
    assert!(script.run(&Process, options).effects.is_empty());
    options.auto_store = true;
    assert_eq!(shown(&script.run(&Process, options)), ["Nearest n = 5"]);
}

#[test]
fn bpmn_errors_keep_what_was_set_before() {
    for class in
        ["org.camunda.bpm.engine.delegate.BpmnError", "org.flowable.engine.delegate.BpmnError"]
    {
        let outcome =
            run(&format!("execution.setVariable('a', 1)\nthrow new {class}('208', 'ups')"));
        let Err(Failure::BpmnError { code, message, position }) = &outcome.result else {
            panic!("{:?}", outcome.result)
        };
        assert_eq!((code.as_str(), message.as_deref()), ("208", Some("ups")));
        assert_eq!((position.line, position.column), (2, 1));
        assert_eq!(shown(&outcome), ["Nearest a = 1"]);
    }
}

#[test]
fn exceptions_carry_class_and_place() {
    let Err(Failure::Exception { class, message, position }) =
        run("def x = 1\n  throw new IllegalStateException('no')").result
    else {
        panic!("no exception")
    };
    assert_eq!((class, message.as_deref()), ("java.lang.IllegalStateException", Some("no")));
    assert_eq!((position.line, position.column), (2, 3));
}

#[test]
fn facts_and_tasks_are_readable() {
    for (script, wanted) in [
        ("execution.processInstanceId", r#""7""#),
        ("execution.getBusinessKey()", r#""order-1""#),
        ("execution.processBusinessKey + '!'", r#""order-1!""#),
        ("task.assignee", r#""anna""#),
        ("task.getVariable('mine')", "1"),
        ("execution.hasVariable('nothing') && nothing == null", "true"),
        ("execution.variableNames.sort().join(',')", r#""items,mine,nothing""#),
        ("new Date().time", "1000"),
    ] {
        let outcome = run(script);
        assert_eq!(outcome.result.expect(script).to_json(), wanted, "{script}");
    }
}

#[test]
fn what_is_printed_is_kept() {
    let outcome = run("println 'a'; print 'b'; print 1; println(); System.out.println(\"c\")");
    assert_eq!(outcome.printed, ["a", "b1", "c"]);
}

#[test]
fn what_is_unsupported_is_told_with_its_place() {
    for (source, kind, line, column, word) in [
        ("def a = 1\nnew java.io.File('x')", DiagnosticKind::Unsupported, 2, 5, "java.io.File"),
        ("import groovy.sql.Sql", DiagnosticKind::Unsupported, 1, 1, "groovy.sql.Sql"),
        ("java.time.LocalDate.now()", DiagnosticKind::Unsupported, 1, 1, "java.time.LocalDate"),
        ("System.exit(1)", DiagnosticKind::Unsupported, 1, 8, "System.exit"),
        ("Runtime.getRuntime().exec('x')", DiagnosticKind::Unsupported, 1, 1, "Runtime"),
        ("class A { }", DiagnosticKind::Unsupported, 1, 1, "class"),
        ("throw new RuntimeException('x'", DiagnosticKind::Syntax, 1, 31, "')'"),
        ("a = = 1", DiagnosticKind::Syntax, 1, 5, "'='"),
        ("'abc", DiagnosticKind::Syntax, 1, 1, "text"),
    ] {
        let found = Script::parse(source).expect_err(source);
        assert_eq!(found.kind, kind, "{source}: {found}");
        assert_eq!((found.position.line, found.position.column), (line, column), "{found}");
        assert!(found.message.contains(word), "{found}");
    }
}
