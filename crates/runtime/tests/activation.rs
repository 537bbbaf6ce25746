//! Deployments whose processes are active from a date on, on both stores.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "someone starts instances meanwhile")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use orloj::history::{JobLogFilter, JobLogState};
use orloj::settings::{HistoryLevel, Settings};
use orloj::store::{JobDefinitionFilter, OperationFilter};
use orloj::types::{Document, TenantId};
use orloj::{
    Builder, Deploy, Deployed, Dialect, Error, EvaluateDecision, InstanceQuery, JobFilter, JobKind,
    JobState, JobView, Orloj, Resource, StartInstance, StoreChoice, SuspendDefinition,
    WhichDecision, WhichDefinitions,
};
use orloj_interpreter::Rejection;
use orloj_testkit::sketch::Sketch;
use orloj_testkit::story::{Database, Decision};

use crate::common::{ALL, NOW, jobs, on_both};

const DAILY: &str = "process daily, camunda: start{timer 10s} -> work{user, async} -> end";
const PLAIN: &str = "process plain, camunda: start -> work{user, async} -> end";
const MINUTE: Duration = Duration::from_secs(60);

fn builder(store: StoreChoice) -> Builder {
    let mut settings = Settings::default();
    settings.history.level = HistoryLevel::Full;
    Orloj::builder().settings(settings).store(store).executor(true).pinned_clock(NOW)
}

fn file(sketch: &str) -> Resource {
    let sketch = Sketch::parse(sketch).unwrap();
    let name = format!("{}.bpmn", sketch.id).into();
    Resource { name, content: sketch.to_xml().into_bytes().into() }
}

/// Active in ten minutes.
fn later(sketches: &[&str]) -> Deploy {
    let resources = sketches.iter().map(|sketch| file(sketch)).collect();
    let plain_dialect = Some(Dialect::Camunda7);
    Deploy { resources, plain_dialect, ..Deploy::default() }.activate_at(NOW.plus_ms(600_000))
}

async fn pass(orloj: &Orloj, by: Duration) {
    orloj.advance(by).unwrap();
    orloj.settle().await;
}

async fn chores(orloj: &Orloj, kind: JobKind) -> Vec<JobView> {
    jobs(orloj, JobFilter { kinds: vec![kind], ..JobFilter::default() }).await
}

async fn live(orloj: &Orloj) -> usize {
    orloj.instances().list(&InstanceQuery::default(), ALL).await.unwrap().len()
}

/// Of each definition, and of each of its job definitions.
async fn suspended(orloj: &Orloj, deployed: &Deployed) -> Vec<(bool, Vec<bool>)> {
    let mut found = Vec::new();
    for definition in &deployed.definitions {
        let filter = JobDefinitionFilter { definition: Some(definition.key), ..Default::default() };
        let jobs = orloj.job_definitions().list(filter, ALL).await.unwrap();
        let is_suspended = orloj.definitions().get(definition.key).await.unwrap().suspended;
        found.push((is_suspended, jobs.iter().map(|job| job.suspended).collect()));
    }
    found
}

fn is_suspended<T: std::fmt::Debug>(started: &Result<T, Error>) -> bool {
    matches!(started, Err(Error::Rejected(Rejection::DefinitionSuspended(_))))
}

#[test]
fn all_processes_of_a_deployment_are_activated_each_by_a_job_of_its_own() {
    on_both(|store| async {
        let orloj = builder(store).build().await.unwrap();
        let tenant = TenantId::new("north");
        let deploy = Deploy { tenant: tenant.clone(), ..later(&[DAILY, PLAIN]) };
        let deployed = orloj.as_user("mary").deploy(deploy).await.unwrap();
        assert!(deployed.definitions.iter().all(|definition| definition.suspended));
        let expected = [(true, vec![true, true]), (true, vec![true])];
        assert_eq!(suspended(&orloj, &deployed).await, expected);

        let made = chores(&orloj, JobKind::ActivateDefinition).await;
        let mut of: Vec<_> = made.iter().map(|job| job.definition).collect();
        of.sort();
        assert_eq!(of, deployed.definitions.iter().map(|one| one.key).collect::<Vec<_>>());
        for job in &made {
            assert_eq!((job.state, &job.tenant), (JobState::Waiting, &tenant));
            assert_eq!(job.due_at, Some(NOW.plus_ms(600_000)));
        }
        let timer = chores(&orloj, JobKind::StartTimer).await.remove(0);
        assert_eq!(timer.state, JobState::Suspended);
        let reasons = orloj.explain(timer.key).await.unwrap().reasons;
        let said = format!(
            "its definition {} is suspended until {}",
            timer.definition,
            NOW.plus_ms(600_000)
        );
        assert_eq!((reasons[0].code, &*reasons[0].text), ("definition-suspended", &*said));
        let start = || StartInstance { tenant: tenant.clone(), ..StartInstance::latest("plain") };
        assert!(is_suspended(&orloj.start(start()).await));

        pass(&orloj, 10 * MINUTE).await;
        let expected = [(false, vec![false, false]), (false, vec![false])];
        assert_eq!(suspended(&orloj, &deployed).await, expected);
        assert_eq!(chores(&orloj, JobKind::ActivateDefinition).await.len(), 0);
        orloj.start(start()).await.unwrap();
        orloj.settle().await;
        // That of the timer, and the one started by hand.
        assert_eq!(live(&orloj).await, 2);
        orloj.shutdown().await;
    });
}

#[test]
fn what_is_to_come_is_logged_when_it_is_ordered() {
    on_both(|store| async {
        let orloj = builder(store).build().await.unwrap();
        let deployed = orloj.as_user("mary").deploy(later(&[PLAIN])).await.unwrap();
        let rows = orloj.history().operations(OperationFilter::default(), ALL).await.unwrap();
        let mut told: Vec<_> = rows
            .iter()
            .map(|row| {
                assert_eq!(row.user.as_deref(), Some("mary"));
                assert_eq!(row.definition, Some(deployed.definitions[0].key));
                assert_eq!((row.at, row.group), (NOW, rows[0].group));
                (&*row.operation, row.property.as_deref(), row.new.as_deref())
            })
            .collect();
        told.sort_unstable();
        let (state, including) = (Some("suspensionState"), Some("includeProcessInstances"));
        let expected = [
            ("ActivateProcessDefinition", including, Some("false")),
            ("ActivateProcessDefinition", state, Some("active")),
            ("SuspendProcessDefinition", including, Some("false")),
            ("SuspendProcessDefinition", state, Some("suspended")),
        ];
        assert_eq!(told, expected);

        pass(&orloj, 10 * MINUTE).await;
        let again = orloj.history().operations(OperationFilter::default(), ALL).await.unwrap();
        assert_eq!(again.len(), 4, "and not when it is done");
        let log = orloj.history().recent_job_log(&JobLogFilter::default(), 9).await.unwrap();
        let mut states: Vec<_> = log.rows.iter().map(|row| row.state).collect();
        states.reverse();
        assert_eq!(states.len(), 2, "{states:?}");
        assert!(states.contains(&JobLogState::Created));
        assert!(states.contains(&JobLogState::Successful));
        orloj.shutdown().await;
    });
}

#[test]
fn jobs_of_flowable_are_not_suspended_with_their_process() {
    on_both(|store| async {
        let orloj = builder(store).build().await.unwrap();
        let model = "process plain, flowable: start -> work{user, async} -> end";
        let deployed = orloj.deploy(later(&[model])).await.unwrap();
        let found = suspended(&orloj, &deployed).await;
        assert!(found[0].0 && !found[0].1.contains(&true), "{found:?}");
        assert!(is_suspended(&orloj.start(StartInstance::latest("plain")).await));
        orloj.shutdown().await;
    });
}

#[test]
fn what_was_deployed_before_is_not_suspended_by_deploying_it_again() {
    on_both(|store| async {
        let orloj = builder(store).build().await.unwrap();
        let now = Deploy { activate_at: None, ..later(&[PLAIN]) };
        orloj.deploy(now).await.unwrap();
        let again = orloj.deploy(later(&[PLAIN])).await.unwrap();
        assert!(again.duplicate && !again.definitions[0].suspended);
        assert_eq!(chores(&orloj, JobKind::ActivateDefinition).await.len(), 0);
        let rows = orloj.history().operations(OperationFilter::default(), ALL).await.unwrap();
        assert_eq!(rows.len(), 0);
        orloj.start(StartInstance::latest("plain")).await.unwrap();

        // Nor does doing so bring the date of another forward.
        let other = "process other, camunda: start -> work{user} -> end";
        orloj.deploy(later(&[other])).await.unwrap();
        let again = Deploy { activate_at: None, ..later(&[other]) };
        let again = orloj.deploy(again).await.unwrap();
        assert!(again.duplicate && again.definitions[0].suspended);
        assert_eq!(chores(&orloj, JobKind::ActivateDefinition).await.len(), 1);
        orloj.shutdown().await;
    });
}

#[test]
fn decisions_are_there_at_once() {
    on_both(|store| async {
        let orloj = builder(store).build().await.unwrap();
        let decision = Decision::parse("decision fee, camunda: 5").unwrap();
        let mut deploy = later(&[PLAIN]);
        let content = decision.to_xml().into_bytes().into();
        deploy.resources.push(Resource { name: "fee.dmn".into(), content });
        orloj.deploy(deploy).await.unwrap();
        let ask = EvaluateDecision {
            which: WhichDecision::Latest("fee".into()),
            tenant: TenantId::none(),
            variables: Document::new(),
        };
        orloj.evaluate_decision(ask).await.unwrap();
        orloj.shutdown().await;
    });
}

/// Its job is due at once, and is no more when somebody suspends the process again.
#[test]
fn a_date_that_has_passed_is_as_good_as_now() {
    on_both(|store| async {
        let orloj = builder(store).build().await.unwrap();
        let past = later(&[PLAIN]).activate_at(NOW.plus_ms(-1_000));
        let deployed = orloj.deploy(past).await.unwrap();
        orloj.settle().await;
        orloj.start(StartInstance::latest("plain")).await.unwrap();
        let which = WhichDefinitions::Key(deployed.definitions[0].key);
        orloj.definitions().suspend(&which, SuspendDefinition::default()).await.unwrap();
        pass(&orloj, 60 * MINUTE).await;
        assert!(is_suspended(&orloj.start(StartInstance::latest("plain")).await));
        orloj.shutdown().await;
    });
}

#[test]
fn a_file_that_is_refused_leaves_nothing_that_is_to_come() {
    on_both(|store| async {
        let orloj = builder(store).build().await.unwrap();
        let mut deploy = later(&[PLAIN]);
        let content = b"<definitions".as_slice().into();
        deploy.resources.push(Resource { name: "broken.bpmn".into(), content });
        let refused = orloj.deploy(deploy).await;
        assert!(matches!(refused, Err(Error::Deployment(_))), "{refused:?}");
        assert_eq!(jobs(&orloj, JobFilter::default()).await.len(), 0);
        orloj.shutdown().await;
    });
}

/// Whoever finds it, finds it suspended: the other node starts what it has just heard of, or has
/// only found in the store.
#[test]
fn another_node_starts_nothing_before_the_date() {
    const ROUNDS: usize = 20;
    let database = Database::create();
    let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    tokio.unwrap().block_on(async {
        let node = async |name: &str| {
            let store = StoreChoice::Postgres(database.url());
            builder(store).node_name(name).build().await.unwrap()
        };
        let (one, two) = (node("one").await, node("two").await);
        for round in 0..ROUNDS {
            let id = format!("p{round}");
            let is_deployed = Arc::new(AtomicBool::new(false));
            let starting = {
                let (two, id, is_deployed) = (two.clone(), id.clone(), is_deployed.clone());
                tokio::spawn(async move {
                    let mut refused = 0;
                    // Once more after it: then at least one start has found it.
                    while !is_deployed.load(Ordering::SeqCst) || refused == 0 {
                        match two.start(StartInstance::latest(&id)).await {
                            Err(Error::Missing(_)) => {}
                            started => {
                                assert!(is_suspended(&started), "{started:?}");
                                refused += 1;
                            }
                        }
                    }
                })
            };
            let model = format!("process {id}, camunda: start -> work{{user, async}} -> end");
            one.deploy(later(&[&model])).await.unwrap();
            is_deployed.store(true, Ordering::SeqCst);
            starting.await.unwrap();
        }
        assert_eq!(live(&one).await, 0);
        one.shutdown().await;
        two.shutdown().await;
    });
}
