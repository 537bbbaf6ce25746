//! What orders of operators cost the store.

use std::sync::Arc;

use crate::common::{ALL, NOW, deploy, jobs, start};
use orloj::store::{JobDefinitionFilter, JobFilter, Store};
use orloj::types::EngineName;
use orloj::{
    Deploy, JobAction, JobDefinitionScope, JobScope, Orloj, SuspendDefinition, SuspendJobs,
    WhichDefinitions,
};
use orloj_testkit::sim_store::{Kind, SimStore};

/// Save points around the activity and around each of its instances, whose jobs only their
/// instance can tell apart.
const TWINS: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="t">
  <process id="p" isExecutable="true" camunda:historyTimeToLive="P1D">
    <startEvent id="start"/>
    <sequenceFlow id="f1" sourceRef="start" targetRef="each"/>
    <userTask id="each" camunda:asyncBefore="true">
      <multiInstanceLoopCharacteristics camunda:asyncBefore="true">
        <loopCardinality>20</loopCardinality>
      </multiInstanceLoopCharacteristics>
    </userTask>
    <sequenceFlow id="f2" sourceRef="each" targetRef="end"/>
    <endEvent id="end"/>
  </process>
</definitions>"#;

async fn engine() -> (Orloj, Arc<SimStore>) {
    let store = Arc::new(SimStore::new(EngineName::default(), Kind::Embedded));
    let builder = Orloj::builder().own_store(store.clone(), 1, false).pinned_clock(NOW);
    (builder.executor(false).build().await.expect("an engine"), store)
}

#[tokio::test]
async fn an_instance_is_read_once_for_all_its_jobs() {
    let (orloj, store) = engine().await;
    orloj.deploy(Deploy::file("p.bpmn", TWINS.as_bytes())).await.expect("deployed");
    for _ in 0..2 {
        let instance = start(&orloj).await;
        let filter = JobFilter { instance: Some(instance), ..JobFilter::default() };
        let around = jobs(&orloj, filter).await[0].key;
        orloj.jobs().execute(around).await.expect("it runs");
    }
    let inner: Vec<_> =
        jobs(&orloj, JobFilter::default()).await.iter().map(|job| job.key).collect();
    assert_eq!(inner.len(), 40);
    let twins = orloj.job_definitions().list(JobDefinitionFilter::default(), ALL).await;
    let mut found = Vec::new();
    for twin in twins.expect("two") {
        let before = store.loads();
        found.push(orloj.jobs().among(twin.key, &inner).await.expect("told apart").len());
        assert_eq!(store.loads() - before, 2, "one read for each instance");
    }
    found.sort_unstable();
    assert_eq!(found, [0, 40]);
    orloj.shutdown().await;
}

#[tokio::test]
async fn a_job_definition_is_read_once_for_all_pages_of_its_jobs() {
    let (orloj, store) = engine().await;
    deploy(&orloj, "process p, camunda: start -> a{delegate A, async} -> end").await;
    // Two pages and the end.
    const INSTANCES: u64 = 2_001;
    for _ in 0..INSTANCES {
        start(&orloj).await;
    }
    let all = JobDefinitionFilter::default();
    let key = orloj.job_definitions().list(all, ALL).await.expect("one")[0].key;
    let before = store.job_definition_reads();
    let scope = JobScope::JobDefinition(key);
    let report = orloj.jobs().all(scope, JobAction::SetPriority(7)).run().await.expect("done");
    assert_eq!((report.done, report.failed), (INSTANCES, 0));
    assert_eq!(store.job_definition_reads() - before, 1);
    orloj.shutdown().await;
}

#[tokio::test]
async fn a_suspension_is_written_once() {
    let (orloj, store) = engine().await;
    deploy(
        &orloj,
        "process p, camunda: start -> a{delegate A, async} -> b{delegate B, async} -> end",
    )
    .await;
    let definition = orloj.definitions().list(Default::default(), ALL).await.expect("one")[0].key;
    let written = async || store.settings().await.expect("settings").version;
    let before = written().await;
    let which = WhichDefinitions::Key(definition);
    let how = SuspendDefinition::default();
    orloj.definitions().suspend(&which, how).await.expect("suspended");
    assert_eq!(written().await - before, 3, "the definition and its two job definitions");
    let suspended = JobDefinitionFilter { suspended: Some(true), ..JobDefinitionFilter::default() };
    assert_eq!(orloj.job_definitions().count(suspended).await.expect("a count"), 2);

    let before = written().await;
    let scope = JobDefinitionScope::Definition(definition);
    orloj.job_definitions().activate(&scope, SuspendJobs::default()).await.expect("activated");
    assert_eq!(written().await - before, 2, "the two job definitions");
    orloj.shutdown().await;
}
