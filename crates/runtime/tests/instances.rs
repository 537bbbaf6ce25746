//! Instances changed by hand, through the handle, on a file that is opened again in between.

use std::path::Path;

use orloj::types::{Document, TenantId};
use orloj::{
    Activate, Correlate, Deploy, Dialect, Error, InstanceState, MigrateInstance, Modify, Orloj,
    Page, StartInstance, StoreChoice, UserTaskFilter, Which,
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
