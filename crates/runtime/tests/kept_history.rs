//! What is kept of what is over, and for how long, on both stores.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use orloj::history::{HistoryFilter, Span};
use orloj::settings::{CleanupStrategy, HistoryLevel, Settings, TimeOfDay, Ttl, Window};
use orloj::store::{BatchFilter, MeterQuery, OperationFilter};
use orloj::types::{Document, InstanceKey, Timestamp};
use orloj::{
    BatchElements, BatchWork, Builder, Deploy, Dialect, Error, InstanceQuery, NewBatch, Orloj,
    Page, StartInstance, StoreChoice, TimeZone,
};
use orloj_testkit::story::Database;

const ALL: Page = Page { before: None, limit: 1_000 };
/// 2026-11-16T00:00:00Z, a Monday.
const BEGIN: Timestamp = Timestamp::from_ms(1_794_787_200_000);
const DAY: u64 = 86_400;

/// The same on SQLite and on PostgreSQL.
fn on_both<F>(settings: &Settings, story: impl Fn(Builder) -> F)
where
    F: Future<Output = ()>,
{
    let tokio =
        || tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let builder = || {
        let builder = Orloj::builder().settings(settings.clone()).executor(true);
        builder.pinned_clock(BEGIN).time_zone(TimeZone::UTC)
    };
    tokio().unwrap().block_on(story(builder()));
    let database = Database::create();
    tokio().unwrap().block_on(story(builder().store(StoreChoice::Postgres(database.url()))));
}

/// A process that waits for a person. `of_process`: attributes; `inside`: what is in it.
async fn deploy(orloj: &Orloj, id: &str, dialect: Dialect, of_process: &str, inside: &str) {
    let xml = format!(
        r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
            xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
            xmlns:flowable="http://flowable.org/bpmn" targetNamespace="test">
          <process id="{id}" isExecutable="true" {of_process}>{inside}
            <startEvent id="start"/><sequenceFlow id="a" sourceRef="start" targetRef="ask"/>
            <userTask id="ask"/><sequenceFlow id="b" sourceRef="ask" targetRef="end"/>
            <endEvent id="end"/>
          </process>
        </definitions>"#
    );
    let file = Deploy::file(&format!("{id}.bpmn"), xml.as_bytes());
    orloj.deploy(Deploy { plain_dialect: Some(dialect), ..file }).await.unwrap();
}

async fn start(orloj: &Orloj, id: &str) -> InstanceKey {
    let variables = Document::parse(r#"{"secret":"x"}"#).unwrap();
    let start = StartInstance { variables, ..StartInstance::latest(id) };
    orloj.start(start).await.unwrap().instance
}

async fn ended(orloj: &Orloj) -> Vec<String> {
    let rows = orloj.instances().list_ended(&InstanceQuery::default(), ALL).await.unwrap();
    let mut ids: Vec<_> = rows.iter().map(|row| row.process_id.to_string()).collect();
    ids.sort();
    ids
}

async fn pass(orloj: &Orloj, seconds: u64) {
    orloj.advance(Duration::from_secs(seconds)).unwrap();
    orloj.settle().await;
}

async fn clean_up(orloj: &Orloj) {
    orloj.clean_up_history(true).await.unwrap();
    orloj.settle().await;
}

fn by_end_time(ttl: Option<u32>) -> Settings {
    let mut settings = Settings::default();
    settings.history.ttl = ttl.map(|days| Ttl { days });
    settings.history.cleanup.strategy = CleanupStrategy::EndTime;
    settings
}

async fn end_one_of_each(orloj: &Orloj) {
    let own = |days: &str| format!(r#"camunda:historyTimeToLive="{days}""#);
    deploy(orloj, "long", Dialect::Camunda7, &own("P365D"), "").await;
    deploy(orloj, "short", Dialect::Camunda7, &own("1"), "").await;
    deploy(orloj, "ever", Dialect::Camunda7, &own(""), "").await;
    deploy(orloj, "plain", Dialect::Camunda7, "", "").await;
    for id in ["long", "short", "ever", "plain"] {
        let key = start(orloj, id).await;
        orloj.cancel(key).await.unwrap();
    }
}

#[test]
fn by_end_time_each_definition_has_its_own_time_to_live() {
    on_both(&by_end_time(Some(5)), |builder| async move {
        let orloj = builder.build().await.unwrap();
        end_one_of_each(&orloj).await;
        pass(&orloj, 2 * DAY).await;
        clean_up(&orloj).await;
        assert_eq!(ended(&orloj).await, ["ever", "long", "plain"]);
        pass(&orloj, 4 * DAY).await;
        clean_up(&orloj).await;
        assert_eq!(ended(&orloj).await, ["ever", "long"], "five days are for the others");
        pass(&orloj, 360 * DAY).await;
        clean_up(&orloj).await;
        assert_eq!(ended(&orloj).await, ["ever"]);
        orloj.shutdown().await;
    });
}

#[test]
fn definitions_need_no_time_to_live_of_all() {
    on_both(&by_end_time(None), |builder| async move {
        let orloj = builder.build().await.unwrap();
        end_one_of_each(&orloj).await;
        pass(&orloj, 2 * DAY).await;
        clean_up(&orloj).await;
        assert_eq!(ended(&orloj).await, ["ever", "long", "plain"]);
        orloj.shutdown().await;
    });
}

#[test]
fn ended_batches_go_by_the_time_of_their_kind() {
    let mut settings = by_end_time(None);
    settings.history.batch_ttl = Some(Ttl { days: 5 });
    settings.batches.ttl_by_kind.insert("instance-deletion".into(), Ttl { days: 1 });
    on_both(&settings, |builder| async move {
        let orloj = builder.build().await.unwrap();
        deploy(&orloj, "order", Dialect::Zeebe, "", "").await;
        let key = start(&orloj, "order").await;
        let variables = BatchWork::SetVariables { variables: "{}".into() };
        let deletion = BatchWork::InstanceDeletion { without_listeners: false };
        for work in [variables, deletion] {
            let new = NewBatch::new(work, BatchElements::instances([key]));
            orloj.batches().create(new).await.unwrap();
            orloj.settle().await;
            pass(&orloj, 31).await;
        }
        let kinds = || async {
            let rows = orloj.batches().list_ended(BatchFilter::default(), ALL).await.unwrap();
            rows.iter().map(|row| row.kind.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(kinds().await, ["instance-deletion", "set-variables"]);
        pass(&orloj, 2 * DAY).await;
        clean_up(&orloj).await;
        assert_eq!(kinds().await, ["set-variables"]);
        pass(&orloj, 4 * DAY).await;
        clean_up(&orloj).await;
        assert!(kinds().await.is_empty());
        orloj.shutdown().await;
    });
}

#[test]
fn the_logs_and_the_meters_are_dropped_by_age() {
    let mut settings = Settings::default();
    settings.operations.ttl = Some(Ttl { days: 2 });
    settings.metrics.ttl = Some(Ttl { days: 3 });
    settings.history.cleanup.job_log_ttl = Some(Ttl { days: 4 });
    on_both(&settings, |builder| async move {
        let orloj = builder.build().await.unwrap();
        deploy(&orloj, "order", Dialect::Zeebe, "", "").await;
        let key = start(&orloj, "order").await;
        orloj.instances().by("anna").suspend(key).await.unwrap();
        orloj.meters().flush().await.unwrap();
        let counts = || async {
            let until = Some(BEGIN.plus_ms(3_600_000));
            let filter = OperationFilter { until, ..OperationFilter::default() };
            let operations = orloj.history().operations(filter, ALL).await.unwrap();
            let query = MeterQuery { until, ..MeterQuery::default() };
            (operations.len(), orloj.meters().query(query).await.unwrap().len())
        };
        let (operations, meters) = counts().await;
        assert!(operations == 1 && meters > 0, "{operations} {meters}");
        pass(&orloj, DAY).await;
        clean_up(&orloj).await;
        assert_eq!(counts().await, (1, meters));
        pass(&orloj, DAY + 1).await;
        clean_up(&orloj).await;
        assert_eq!(counts().await, (0, meters));
        pass(&orloj, DAY).await;
        clean_up(&orloj).await;
        assert_eq!(counts().await, (0, 0));
        orloj.shutdown().await;
    });
}

async fn end_one(orloj: &Orloj, id: &str) -> InstanceKey {
    let key = start(orloj, id).await;
    orloj.cancel(key).await.unwrap();
    key
}

async fn listed(orloj: &Orloj) -> usize {
    orloj.history().instances(&HistoryFilter::default(), ALL).await.unwrap().rows.len()
}

#[test]
fn below_audit_no_values_are_kept_and_at_none_nothing_is() {
    for (level, kept) in [
        (HistoryLevel::None, None),
        (HistoryLevel::Activity, Some(0)),
        (HistoryLevel::Audit, Some(1)),
        (HistoryLevel::Full, Some(1)),
    ] {
        let mut settings = Settings::default();
        settings.history.level = level;
        on_both(&settings, |builder| async move {
            let orloj = builder.build().await.unwrap();
            deploy(&orloj, "order", Dialect::Zeebe, "", "").await;
            let key = end_one(&orloj, "order").await;
            let found = orloj.instance(key).await;
            let span = Span::default();
            let variables = orloj.history().variables(key, span).await.map(|rows| rows.len()).ok();
            match kept {
                None => {
                    assert!(matches!(found, Err(Error::Missing(_))), "{found:?}");
                    assert_eq!((listed(&orloj).await, ended(&orloj).await.len()), (0, 0));
                }
                Some(_) => {
                    let values = found.unwrap().variables.0.len();
                    assert_eq!((Some(values), variables), (kept, kept), "{level:?}");
                    assert_eq!(listed(&orloj).await, 1);
                }
            }
            orloj.shutdown().await;
        });
    }
}

#[test]
fn a_definition_may_have_a_level_of_its_own() {
    let level = |word: &str| {
        format!(
            "<extensionElements><flowable:historyLevel>{word}</flowable:historyLevel>\
             </extensionElements>"
        )
    };
    for is_allowed in [true, false] {
        let mut settings = Settings::default();
        settings.history.level_per_definition = is_allowed;
        on_both(&settings, |builder| {
            let (none, activity) = (level("none"), level("activity"));
            async move {
                let orloj = builder.build().await.unwrap();
                deploy(&orloj, "none", Dialect::Flowable, "", &none).await;
                deploy(&orloj, "activity", Dialect::Flowable, "", &activity).await;
                end_one(&orloj, "none").await;
                let key = end_one(&orloj, "activity").await;
                let variables = orloj.instance(key).await.unwrap().variables.0.len();
                let kept = (listed(&orloj).await, variables);
                assert_eq!(kept, if is_allowed { (1, 0) } else { (2, 1) });
                orloj.shutdown().await;
            }
        });
    }
}

#[test]
fn windows_and_cycles_are_meant_where_the_node_is() {
    let at = |hour: u16| Some(TimeOfDay { minute: hour * 60, offset_minutes: None });
    let mut windows = Settings::default();
    windows.history.ttl = Some(Ttl { days: 0 });
    let mut cycle = windows.clone();
    windows.history.cleanup.window = Window { start: at(9), end: at(10) };
    cycle.history.cleanup.cycle = Some("0 0 9 * * ?".into());
    for settings in [windows, cycle] {
        on_both(&settings, |builder| async move {
            // An hour before UTC in winter.
            let prague = TimeZone::get("Europe/Prague").unwrap();
            let orloj = builder.time_zone(prague).build().await.unwrap();
            deploy(&orloj, "order", Dialect::Zeebe, "", "").await;
            end_one(&orloj, "order").await;
            let [job] = &orloj.clean_up_jobs().await.unwrap()[..] else { panic!("one clean-up") };
            assert_eq!(job.due_at, Some(BEGIN.plus_ms(8 * 3_600_000)));
            pass(&orloj, 8 * 3_600 - 1).await;
            assert_eq!(ended(&orloj).await, ["order"]);
            pass(&orloj, 1).await;
            assert!(ended(&orloj).await.is_empty());
            let [job] = &orloj.clean_up_jobs().await.unwrap()[..] else { panic!("it lives on") };
            assert!(job.due_at > Some(orloj.now()), "it comes back");
            orloj.shutdown().await;
        });
    }
}
