//! Models changed while they are read, and what stays of it.

use orloj::model::{Matching, ParseHook, Setting, Source, Transform, Transforms};
use orloj::types::InstanceKey;
use orloj::{Builder, Deploy, Deployed, Error, Orloj, StartInstance, StoreChoice};
use orloj_testkit::story::Database;

const MODEL: &[u8] = br#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="n">
<process id="p" isExecutable="true"><startEvent id="s"/><endEvent id="e"/>
<serviceTask id="pay" camunda:class="org.example.Pay"/>
<sequenceFlow id="f1" sourceRef="s" targetRef="pay"/>
<sequenceFlow id="f2" sourceRef="pay" targetRef="e"/>
</process></definitions>"#;

fn job_type(kind: &str, job_type: &str) -> Transform {
    Transform {
        matching: Matching { kinds: vec![kind.to_owned()], ..Matching::default() },
        set: Setting { job_type: Some(job_type.to_owned()), ..Setting::default() },
    }
}

fn transforms(list: &[Transform]) -> Transforms {
    Transforms::new(list.to_vec()).expect("transforms")
}

async fn engine(store: &StoreChoice, prepare: impl FnOnce(Builder) -> Builder) -> Orloj {
    let builder = Orloj::builder().store(store.clone());
    prepare(builder).build().await.expect("an engine")
}

async fn deployed(orloj: &Orloj) -> Deployed {
    orloj.deploy(Deploy::file("p.bpmn", MODEL)).await.expect("deployed")
}

async fn started(orloj: &Orloj) -> InstanceKey {
    orloj.start(StartInstance::latest("p")).await.expect("started").instance
}

async fn job_types(orloj: &Orloj, instance: InstanceKey) -> Vec<String> {
    let detail = orloj.instance(instance).await.expect("there");
    detail.jobs.iter().map(|job| job.job_type.to_string()).collect()
}

/// On each store.
fn on_both<F: Future<Output = ()>>(story: impl Fn(StoreChoice) -> F) {
    let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let tokio = tokio.expect("a runtime");
    let folder = tempfile::tempdir().expect("a folder");
    tokio.block_on(story(StoreChoice::SqliteFile(folder.path().join("o.db"))));
    let database = Database::create();
    tokio.block_on(story(StoreChoice::Postgres(database.url())));
}

#[test]
fn a_definition_stays_what_the_transforms_of_its_deployment_made_of_it() {
    on_both(a_definition_stays_as_it_was);
}

#[test]
fn a_hook_refuses_deployments_but_strands_no_instance() {
    on_both(a_refusal_comes_too_late);
}

async fn a_definition_stays_as_it_was(store: StoreChoice) {
    let pay = job_type("serviceTask", "payments");
    let orloj = engine(&store, |b| b.transforms(transforms(std::slice::from_ref(&pay)))).await;
    assert_eq!(deployed(&orloj).await.definitions[0].version, 1);
    let first = started(&orloj).await;
    assert_eq!(job_types(&orloj, first).await, ["payments"]);
    orloj.shutdown().await;

    // The configuration has lost them: what is deployed does not change.
    let orloj = engine(&store, |b| b).await;
    let second = started(&orloj).await;
    assert_eq!(job_types(&orloj, first).await, ["payments"]);
    assert_eq!(job_types(&orloj, second).await, ["payments"]);
    // What is deployed from now on does.
    let again = deployed(&orloj).await;
    assert_eq!((again.duplicate, again.definitions[0].version), (false, 2));
    let third = started(&orloj).await;
    assert_eq!(job_types(&orloj, third).await, ["org.example.Pay"]);
    assert!(deployed(&orloj).await.duplicate);
    orloj.shutdown().await;

    // One that has nothing to do in the file makes no version; one that has, does.
    let unrelated = job_type("callActivity", "x");
    let orloj =
        engine(&store, |b| b.transforms(transforms(std::slice::from_ref(&unrelated)))).await;
    assert!(deployed(&orloj).await.duplicate);
    orloj.shutdown().await;
    let orloj = engine(&store, |b| b.transforms(transforms(&[unrelated, pay]))).await;
    assert_eq!(deployed(&orloj).await.definitions[0].version, 3);
    assert!(deployed(&orloj).await.duplicate);
    let content = orloj.resource(orloj_definition(&orloj).await).await.expect("a file");
    assert_eq!(&content[..], MODEL, "the file is kept as it came");
    orloj.shutdown().await;
}

async fn orloj_definition(orloj: &Orloj) -> orloj::types::DefinitionKey {
    let page = orloj::Page { before: None, limit: 1 };
    orloj.definitions().list(Default::default(), page).await.expect("definitions")[0].key
}

/// No classes here; those that it lets through become jobs of a type of their own.
#[derive(Debug)]
struct NoClasses;

impl ParseHook for NoClasses {
    fn before(&self, source: &mut Source) {
        if source.attribute("camunda:class") == Some("org.example.Pay") {
            source.refuse("classes are not wanted");
        }
    }
}

#[derive(Debug)]
struct Topics;

impl ParseHook for Topics {
    fn before(&self, source: &mut Source) {
        if source.attribute("camunda:class").is_some() {
            source.remove_attribute("camunda:class");
            source.set_attribute("camunda:type", "external");
            source.set_attribute("camunda:topic", "topic");
        }
    }
}

async fn a_refusal_comes_too_late(store: StoreChoice) {
    let orloj = engine(&store, |b| b.parse_hook(NoClasses)).await;
    match orloj.deploy(Deploy::file("p.bpmn", MODEL)).await {
        Err(Error::Deployment(problems)) => {
            assert_eq!(problems[0].diagnostics[0].code, "hook-refused");
        }
        other => panic!("{other:?}"),
    }
    orloj.shutdown().await;
    let orloj = engine(&store, |b| b.parse_hook(Topics)).await;
    deployed(&orloj).await;
    let first = started(&orloj).await;
    assert_eq!(job_types(&orloj, first).await, ["topic"]);
    orloj.shutdown().await;
    let orloj = engine(&store, |b| b.parse_hook(NoClasses)).await;
    let second = started(&orloj).await;
    assert_eq!(job_types(&orloj, second).await, ["org.example.Pay"]);
    orloj.cancel(first).await.expect("it goes on");
    orloj.shutdown().await;
}
