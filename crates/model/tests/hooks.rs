//! Code and configuration that change a model while it is read.

use crate::support::*;
use orloj_model::{
    AddedListener, AddedListenerEvent, Boundary, Dialect, ElementIndex, ElementKind, ElementParts,
    Matching, Options, ParseHook, Parsed, PriorityValue, Process, ProcessParts, SavePoint,
    ServiceTask, Setting, Source, Transform, Transforms, Trigger, parse,
};

fn model() -> String {
    chain(&[
        ("pay", r#"<serviceTask id="pay" camunda:class="org.acme.Pay"/>"#),
        ("ask", r#"<userTask id="ask" name="Ask"/>"#),
    ])
}

fn read_with(xml: &str, hook: impl ParseHook + 'static) -> Parsed {
    parse(xml.as_bytes(), &Options::of(Dialect::Camunda7).with_hook(hook))
}

fn changed(hook: impl ParseHook + 'static) -> Process {
    let parsed = read_with(&model(), hook);
    assert_eq!(listed(&parsed), "");
    parsed.processes[0].clone()
}

fn transformed(matching: Matching, set: Setting) -> Process {
    changed(Transforms::new(vec![Transform { matching, set }]).expect("a transform"))
}

fn kinds(names: &[&str]) -> Matching {
    Matching { kinds: names.iter().map(|&name| name.to_owned()).collect(), ..Matching::default() }
}

#[derive(Debug)]
struct Attributes;

impl ParseHook for Attributes {
    fn before(&self, source: &mut Source) {
        if source.attribute("camunda:class").is_some() {
            source.remove_attribute("camunda:class");
            source.set_attribute("camunda:type", "external");
            source.set_attribute("camunda:topic", source.id().to_owned().as_str());
            source.set_attribute("camunda:asyncBefore", "true");
            source.set_attribute("name", "Paid by hand");
        }
    }
}

#[test]
fn the_default_handling_sees_what_a_hook_left() {
    let process = changed(Attributes);
    let pay = process.element(process.find("pay").expect("pay"));
    assert_eq!(shown(&worker(pay).job_type), "\"pay\"");
    assert_eq!(pay.async_before, Some(SavePoint { exclusive: true }));
    assert_eq!(pay.name.as_deref(), Some("Paid by hand"));
    assert_eq!(process.element(process.find("ask").expect("ask")).name.as_deref(), Some("Ask"));
}

#[derive(Debug)]
struct NothingToAsk;

impl ParseHook for NothingToAsk {
    fn instead(&self, source: &Source) -> Option<ElementKind> {
        (source.kind() == "userTask").then_some(ElementKind::PlainTask)
    }
}

#[test]
fn a_hook_takes_the_place_of_the_default_handling() {
    let process = changed(NothingToAsk);
    let ask = process.element(process.find("ask").expect("ask"));
    assert!(matches!(ask.kind, ElementKind::PlainTask));
    assert_eq!(ask.name.as_deref(), Some("Ask"));
}

#[derive(Debug)]
struct Afterwards;

impl ParseHook for Afterwards {
    fn after(&self, source: &mut Source, element: ElementParts<'_>) {
        assert_eq!((source.process(), source.dialect()), ("p", Dialect::Camunda7));
        if let ElementKind::UserTask(task) = element.kind {
            task.form_key = Some("form".into());
        }
    }

    fn after_process(&self, source: &mut Source, process: ProcessParts<'_>) {
        assert_eq!(source.kind(), "process");
        *process.version_tag = Some("hooked".into());
    }
}

#[test]
fn a_hook_changes_what_was_read() {
    let process = changed(Afterwards);
    let ask = process.element(process.find("ask").expect("ask"));
    assert_eq!(user_task(ask).form_key.as_deref(), Some("form"));
    assert_eq!(process.version_tag.as_deref(), Some("hooked"));
}

#[derive(Debug)]
struct Wrong(fn(&mut Source, Option<ElementParts<'_>>));

impl ParseHook for Wrong {
    fn before(&self, source: &mut Source) {
        (self.0)(source, None);
    }

    fn after(&self, source: &mut Source, element: ElementParts<'_>) {
        (self.0)(source, Some(element));
    }
}

#[test]
fn a_hook_cannot_break_the_graph() {
    let boundary = Wrong(|source, element| {
        if let Some(element) = element.filter(|_| source.id() == "ask") {
            *element.kind = ElementKind::BoundaryEvent(Boundary {
                attached_to: ElementIndex(99),
                interrupting: true,
                trigger: Trigger::Cancel,
            });
        }
    });
    insta::assert_snapshot!(listed(&read_with(&model(), boundary)), @r#"3:1: error: a hook changed what userTask "ask" refers to, which only the file can say [hook-misused]"#);
    let renamed = Wrong(|source, element| {
        if element.is_none() && source.id() == "ask" {
            source.set_attribute("id", "other");
        }
    });
    insta::assert_snapshot!(listed(&read_with(&model(), renamed)), @r#"3:1: error: a hook cannot change id of userTask "ask" [hook-misused]"#);
}

#[test]
fn a_hook_can_refuse_and_warn() {
    let critic = Wrong(|source, element| {
        if element.is_none() && source.kind() == "userTask" {
            source.refuse("people are busy");
            source.warn("and expensive");
        }
    });
    insta::assert_snapshot!(listed(&read_with(&model(), critic)), @r#"
    3:1: error: userTask "ask": people are busy [hook-refused]
    3:1: warning: userTask "ask": and expensive [hook-warning]
    "#);
}

#[test]
fn a_transform_sets_save_points_retries_and_priority() {
    let set = Setting {
        async_before: Some(true),
        async_after: Some(true),
        exclusive: Some(false),
        retry_cycle: Some("R5/PT1M".to_owned()),
        priority: Some(PriorityValue::Number(7)),
        ..Setting::default()
    };
    let process = transformed(kinds(&["*Task"]), set);
    for id in ["pay", "ask"] {
        let element = process.element(process.find(id).expect(id));
        let shared = Some(SavePoint { exclusive: false });
        assert_eq!((element.async_before, element.async_after), (shared, shared), "{id}");
        assert!(element.jobs.retry_cycle.is_some());
        assert_eq!(shown_or_none(&element.jobs.priority).as_deref(), Some("7"));
    }
    let start = process.element(process.find("start").expect("start"));
    assert!(start.async_before.is_none());
}

#[test]
fn a_transform_moves_a_delegate_out() {
    let matching = Matching {
        attributes: [("camunda:class".to_owned(), "org.acme.*".to_owned())].into(),
        processes: vec!["p".to_owned()],
        ids: vec!["other".to_owned(), "pa*".to_owned()],
        dialect: Some(Dialect::Camunda7),
        ..Matching::default()
    };
    let set = Setting { job_type: Some("payments".to_owned()), ..Setting::default() };
    let process = transformed(matching.clone(), set.clone());
    let pay = process.element(process.find("pay").expect("pay"));
    assert_eq!(shown(&worker(pay).job_type), "\"payments\"");
    let elsewhere = Matching { dialect: Some(Dialect::Zeebe), ..matching };
    let process = transformed(elsewhere, set);
    let pay = process.element(process.find("pay").expect("pay"));
    assert!(matches!(pay.kind, ElementKind::ServiceTask(ServiceTask::Delegate(_))));
}

#[test]
fn a_transform_adds_listeners_where_they_fit() {
    let listener = |event, delegate: &str| AddedListener {
        event,
        delegate: Some(delegate.to_owned()),
        expression: None,
        job_type: None,
    };
    let set = Setting {
        listeners: vec![
            listener(AddedListenerEvent::Start, "a"),
            listener(AddedListenerEvent::Take, "b"),
            listener(AddedListenerEvent::TaskCreate, "c"),
        ],
        ..Setting::default()
    };
    let process = transformed(kinds(&["serviceTask", "userTask", "sequenceFlow", "process"]), set);
    let of = |id: &str| shown_listeners(&process.element(process.find(id).expect(id)).listeners);
    assert_eq!(of("pay"), ["Start: a"]);
    assert_eq!(of("ask"), ["Start: a", "TaskCreate: c"]);
    assert_eq!(shown_listeners(&process.listeners), ["Start: a"]);
    assert!(process.flows.iter().all(|flow| shown_listeners(&flow.listeners) == ["Take: b"]));
}

#[test]
fn a_transform_is_checked_when_it_is_loaded() {
    let wrong = |set: Setting| {
        let good = Transform::default();
        let bad = Transform { matching: Matching::default(), set };
        Transforms::new(vec![good, bad]).expect_err("a wrong transform").to_string()
    };
    let cycle = Setting { retry_cycle: Some("soon".to_owned()), ..Setting::default() };
    assert!(wrong(cycle).starts_with("transform 2: set.retry_cycle: the retry cycle \"soon\": "));
    let priority = PriorityValue::Expression("${a +".to_owned());
    let priority = Setting { priority: Some(priority), ..Setting::default() };
    assert!(wrong(priority).contains("does not parse"));
    let event = AddedListenerEvent::End;
    let none = AddedListener { event, delegate: None, expression: None, job_type: None };
    let listener = Setting { listeners: vec![none], ..Setting::default() };
    assert!(wrong(listener).contains("one of delegate, expression and job_type"));
}

#[test]
fn what_a_hook_refuses_today_does_not_hold_up_what_was_accepted() {
    let critic = Wrong(|source, element| {
        if element.is_none() && source.kind() == "userTask" {
            source.refuse("people are busy");
        }
    });
    let options = Options { was_accepted: true, ..Options::of(Dialect::Camunda7) };
    let parsed = parse(model().as_bytes(), &options.with_hook(critic));
    insta::assert_snapshot!(listed(&parsed), @r#"3:1: warning: userTask "ask": people are busy [hook-refused]"#);
    assert_eq!(parsed.processes.len(), 1);
}

#[test]
fn those_that_had_something_to_do_are_noted_and_suffice() {
    let set = |name: &str| Setting {
        attributes: [(name.to_owned(), "true".to_owned())].into(),
        ..Setting::default()
    };
    let before = Transform { matching: kinds(&["userTask"]), set: set("camunda:asyncBefore") };
    let nothing = Transform { matching: kinds(&["callActivity"]), set: Setting::default() };
    // It matches only what another one, behind it, has set.
    let later = Transform {
        matching: Matching {
            attributes: [("camunda:asyncBefore".to_owned(), "true".to_owned())].into(),
            ..Matching::default()
        },
        set: Setting { priority: Some(PriorityValue::Number(7)), ..Setting::default() },
    };
    let all = vec![later.clone(), nothing, before.clone()];
    let noted = std::sync::Arc::new(Transforms::new(all).expect("transforms").noted());
    let mut options = Options::of(Dialect::Camunda7);
    options.hooks.push(noted.clone());
    let all = parse(model().as_bytes(), &options);
    let used = noted.used();
    assert_eq!(used, [later, before]);
    let some = read_with(&model(), Transforms::new(used).expect("transforms"));
    assert_eq!(format!("{:?}", all.processes), format!("{:?}", some.processes));
    let ask = some.processes[0].find("ask").expect("ask");
    assert_eq!(shown_or_none(&some.processes[0].element(ask).jobs.priority).as_deref(), Some("7"));
}

#[test]
fn a_transform_is_written_as_configuration() {
    let text = r#"{"match": {"kinds": ["serviceTask"], "dialect": "camunda7"},
        "set": {"async_before": true, "priority": "${p}", "attributes": {"camunda:exclusive": "false"},
                "listeners": [{"event": "task-create", "job_type": "audit"}]}}"#;
    let transform: Transform = serde_json::from_str(text).expect("a transform");
    assert_eq!(transform.set.async_before, Some(true));
    assert_eq!(transform.matching.dialect, Some(Dialect::Camunda7));
    let written = serde_json::to_string(&transform).expect("JSON");
    assert_eq!(serde_json::from_str::<Transform>(&written).expect("the same"), transform);
    assert!(serde_json::from_str::<Transform>(r#"{"set": {"asyncBefore": true}}"#).is_err());
    let process = changed(Transforms::new(vec![transform]).expect("a transform"));
    let pay = process.element(process.find("pay").expect("pay"));
    assert_eq!(pay.async_before, Some(SavePoint { exclusive: true }));
    assert_eq!(shown_or_none(&pay.jobs.priority).as_deref(), Some("Uel(${p})"));
}
