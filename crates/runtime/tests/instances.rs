//! Instances changed by hand, through the handle, on a file that is opened again in between.

use std::path::Path;

use orloj::store::BatchFilter;
use orloj::types::{Document, InstanceKey, TenantId, Timestamp};
use orloj::{
    Activate, Correlate, Deploy, Dialect, Error, InstanceAction, InstanceState, MigrateInstance,
    Modify, Move, MoveFrom, MoveInside, Orloj, Page, StartInstance, StoreChoice, UserTaskFilter,
    Which,
};
use orloj_testkit::sketch::Sketch;

const ALL: Page = Page { before: None, limit: 100 };

async fn open(file: &Path) -> Orloj {
    let choice = StoreChoice::SqliteFile(file.to_owned());
    Orloj::builder().store(choice).executor(true).build().await.expect("an engine")
}

async fn deploy(orloj: &Orloj, sketch: &str) {
    let sketch = Sketch::parse(sketch).expect("a sketch");
    let deploy = Deploy {
        plain_dialect: Some(Dialect::Zeebe),
        ..Deploy::file("order.bpmn", sketch.to_xml().as_bytes())
    };
    orloj.deploy(deploy).await.expect("deployed");
}

async fn finish_task(orloj: &Orloj) {
    let tasks = orloj.user_tasks(UserTaskFilter::default(), ALL).await.expect("tasks");
    orloj.complete_user_task(tasks[0].key, Document::new()).await.expect("completed");
}

#[tokio::test]
async fn a_migrated_instance_goes_on_as_one_of_the_new_version() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("orloj.db");
    let orloj = open(&file).await;
    deploy(&orloj, "process order: start -> ask{user} -> end old").await;
    let started = orloj.start(StartInstance::latest("order")).await.expect("started");
    deploy(&orloj, "process order: start -> ask{user} -> more{user} -> end fresh").await;
    let migrate = MigrateInstance {
        which: Which::Latest("order".into()),
        tenant: TenantId::none(),
        plan: vec![("ask".into(), "ask".into())],
    };
    orloj.migrate(started.instance, migrate).await.expect("migrated");
    orloj.shutdown().await;

    let orloj = open(&file).await;
    finish_task(&orloj).await;
    let detail = orloj.instance(started.instance).await.expect("it lives");
    let at: Vec<_> = detail.elements.iter().map(|element| element.element.to_string()).collect();
    assert_eq!(at, ["more"]);
    finish_task(&orloj).await;
    let detail = orloj.instance(started.instance).await.expect("it is known");
    assert_eq!((detail.view.state, detail.view.version), (InstanceState::Completed, 2));
    orloj.shutdown().await;
}

#[tokio::test]
async fn a_migrated_instance_still_gets_its_message() {
    let folder = tempfile::tempdir().expect("a folder");
    let orloj = open(&folder.path().join("orloj.db")).await;
    let mut started = None;
    for wait in ["hear", "listen"] {
        let file = format!(
            r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t">
            <message id="m" name="call"/><process id="order" isExecutable="true"><startEvent id="s"/>
            <sequenceFlow id="f" sourceRef="s" targetRef="{wait}"/>
            <receiveTask id="{wait}" messageRef="m"/></process></definitions>"#
        );
        orloj.deploy(Deploy::file("order.bpmn", file.as_bytes())).await.expect("deployed");
        if wait == "hear" {
            let start = StartInstance::latest("order");
            started = Some(orloj.start(start).await.expect("started").instance);
        }
    }
    let instance = started.expect("the first version was started");
    let migrate = MigrateInstance {
        which: Which::Latest("order".into()),
        tenant: TenantId::none(),
        plan: vec![("hear".into(), "listen".into())],
    };
    orloj.migrate(instance, migrate).await.expect("migrated");
    let correlate = Correlate {
        name: "call".into(),
        business_key: None,
        instance: None,
        tenant: TenantId::none(),
        variables: Document::new(),
    };
    orloj.correlate(correlate).await.expect("somebody waits");
    let detail = orloj.instance(instance).await.expect("it is known");
    assert_eq!(detail.view.state, InstanceState::Completed);
    orloj.shutdown().await;
}

#[tokio::test]
async fn tokens_are_moved_and_instances_deleted_by_hand() {
    let folder = tempfile::tempdir().expect("a folder");
    let orloj = open(&folder.path().join("orloj.db")).await;
    deploy(&orloj, "process order: start -> ask{user} -> more{user} -> end").await;
    let started = orloj.start(StartInstance::latest("order")).await.expect("started");
    let detail = orloj.instance(started.instance).await.expect("it lives");
    let activate = Activate {
        element: "more".into(),
        ancestor: None,
        variables: Document::new().with("moved", true),
        locals: Document::new(),
        scoped: Vec::new(),
    };
    let modify = Modify {
        activate: vec![activate],
        terminate: vec![detail.elements[0].key],
        ..Modify::default()
    };
    orloj.modify(started.instance, modify).await.expect("modified");
    let detail = orloj.instance(started.instance).await.expect("it lives");
    let at: Vec<_> = detail.elements.iter().map(|element| element.element.to_string()).collect();
    assert_eq!(at, ["more"]);
    assert_eq!(detail.variables.to_json(), r#"{"moved":true}"#);

    orloj.suspend(started.instance).await.expect("suspended");
    let tasks = orloj.user_tasks(UserTaskFilter::default(), ALL).await.expect("tasks");
    let refused = orloj.complete_user_task(tasks[0].key, Document::new()).await;
    assert!(matches!(refused, Err(Error::Rejected(orloj::Rejection::Suspended(_)))));
    orloj.resume(started.instance).await.expect("resumed");
    orloj.delete(started.instance).await.expect("deleted");
    let detail = orloj.instance(started.instance).await.expect("it is known");
    assert_eq!(detail.view.state, InstanceState::Cancelled);
    orloj.shutdown().await;
}

fn at(element: &str) -> Activate {
    Activate {
        element: element.into(),
        ancestor: None,
        variables: Document::new(),
        locals: Document::new(),
        scoped: Vec::new(),
    }
}

async fn tokens(orloj: &Orloj, instance: InstanceKey) -> Vec<String> {
    let detail = orloj.instance(instance).await.expect("it lives");
    detail.elements.iter().map(|element| element.element.to_string()).collect()
}

const FLOWS: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t">
  <process id="order" isExecutable="true"><startEvent id="s"/>
  <sequenceFlow id="f1" sourceRef="s" targetRef="ask"/><userTask id="ask"/>
  <sequenceFlow id="f2" sourceRef="ask" targetRef="more"/><userTask id="more"/>
  <sequenceFlow id="f3" sourceRef="more" targetRef="e"/><endEvent id="e"/></process></definitions>"#;

#[tokio::test]
async fn tokens_begin_after_elements_and_on_flows() {
    let folder = tempfile::tempdir().expect("a folder");
    let orloj = open(&folder.path().join("orloj.db")).await;
    orloj.deploy(Deploy::file("order.bpmn", FLOWS.as_bytes())).await.expect("deployed");
    let instance = orloj.start(StartInstance::latest("order")).await.expect("started").instance;
    let variables = Document::new().with("moved", true);
    let modify = Modify {
        activate_after: vec![Activate { variables, ..at("ask") }],
        activate_flow: vec![at("f1")],
        ..Modify::default()
    };
    orloj.instances().modify(instance, modify).await.expect("modified");
    assert_eq!(tokens(&orloj, instance).await, ["ask", "ask", "more"]);
    let detail = orloj.instance(instance).await.expect("it lives");
    assert_eq!(detail.variables.to_json(), r#"{"moved":true}"#);

    let known = Modify { activate: vec![at("more")], ..Modify::default() };
    let own = Activate { locals: Document::new().with("own", 1), ..at("ask") };
    for (modify, why) in [
        (Modify { activate_after: vec![at("nowhere")], ..known.clone() }, "nowhere"),
        (Modify { activate_after: vec![at("e")], ..known.clone() }, "one outgoing flow"),
        (Modify { activate_flow: vec![at("f9")], ..known.clone() }, "f9"),
        (Modify { activate_after: vec![own], ..known }, "no local variables"),
    ] {
        let refused = orloj.modify(instance, modify).await.expect_err(why);
        assert!(refused.to_string().contains(why), "{refused}");
        assert_eq!(tokens(&orloj, instance).await, ["ask", "ask", "more"]);
    }
    orloj.shutdown().await;
}

#[tokio::test]
async fn a_batch_carries_a_modification_as_a_whole_or_is_refused() {
    let builder = Orloj::builder().executor(true).pinned_clock(Timestamp::from_ms(0));
    let orloj = builder.build().await.expect("an engine");
    orloj.deploy(Deploy::file("order.bpmn", FLOWS.as_bytes())).await.expect("deployed");
    let instance = orloj.start(StartInstance::latest("order")).await.expect("started").instance;
    let element = orloj.instance(instance).await.expect("it lives").elements[0].key;
    let begin = async |modify: Modify| {
        let action = InstanceAction::Modify(modify);
        orloj.instances().all(vec![instance], action).as_batch().await
    };
    let inside = Activate { ancestor: Some(element), ..at("more") };
    let scoped = vec![(None, Document::new().with("a", 1))];
    let moved =
        Move { from: MoveFrom::All("ask".into()), to: at("more"), inside: MoveInside::Hierarchy };
    for (modify, why) in [
        (Modify { moves: vec![moved], ..Modify::default() }, "does not move"),
        (Modify { terminate: vec![element], ..Modify::default() }, "element instances of one"),
        (Modify { activate: vec![inside], ..Modify::default() }, "element instances of one"),
        (
            Modify { activate: vec![Activate { scoped, ..at("more") }], ..Modify::default() },
            "not of named scopes",
        ),
    ] {
        let refused = begin(modify).await.expect_err(why);
        assert!(matches!(&refused, Error::Invalid(said) if said.contains(why)), "{refused}");
    }

    let begun = orloj.batches().list(BatchFilter::default(), ALL).await.expect("batches");
    assert_eq!(begun.len(), 0, "what is refused begins nothing");
    let whole = Modify {
        activate: vec![at("more")],
        activate_after: vec![at("ask")],
        activate_flow: vec![at("f2")],
        terminate_all: vec!["ask".into()],
        ..Modify::default()
    };
    begin(whole).await.expect("a batch");
    orloj.settle().await;
    assert_eq!(tokens(&orloj, instance).await, ["more", "more", "more"]);
    orloj.shutdown().await;
}
