//! An application's own executor in place of the engine's, and the engine's queue when it is full.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use orloj::types::{Document, InstanceKey, Timestamp};
use orloj::{
    AtOnce, Builder, Call, Deploy, ExecutorOptions, InstanceState, JobFilter, JobKind, JobView,
    Meter, Offer, Order, Orloj, Page, StartInstance, StoreChoice,
};
use orloj_testkit::story::Database;
use tokio::sync::Semaphore;

const ALL: Page = Page { before: None, limit: 100 };

/// `step`: an asynchronous step whose priority is a variable. `later`: a timer.
const STEP: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="test">
  <process id="step" isExecutable="true" camunda:historyTimeToLive="P1D">
    <startEvent id="start"/>
    <sequenceFlow id="a" sourceRef="start" targetRef="work"/>
    <serviceTask id="work" camunda:asyncBefore="true" camunda:class="test.Work"
        camunda:jobPriority="${urgency}"/>
    <sequenceFlow id="b" sourceRef="work" targetRef="end"/>
    <endEvent id="end"/>
  </process>
  <process id="later" isExecutable="true" camunda:historyTimeToLive="P1D">
    <startEvent id="start2"/>
    <sequenceFlow id="c" sourceRef="start2" targetRef="wait"/>
    <intermediateCatchEvent id="wait">
      <timerEventDefinition><timeDuration>PT10M</timeDuration></timerEventDefinition>
    </intermediateCatchEvent>
  </process>
</definitions>"#;

/// The same on SQLite and on PostgreSQL.
fn on_both<F: Future<Output = ()>>(story: impl Fn(Builder) -> F) {
    let tokio =
        || tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let builder = || Orloj::builder().pinned_clock(Timestamp::from_ms(1_900_000_000_000));
    tokio().unwrap().block_on(story(builder()));
    let database = Database::create();
    tokio().unwrap().block_on(story(builder().store(StoreChoice::Postgres(database.url()))));
}

async fn deployed(builder: Builder) -> Orloj {
    let orloj = builder.build().await.unwrap();
    orloj.deploy(Deploy::file("step.bpmn", STEP.as_bytes())).await.unwrap();
    orloj
}

async fn start(orloj: &Orloj, urgency: i64) -> InstanceKey {
    let variables = Document::new().with("urgency", urgency);
    orloj.start(StartInstance::latest("step").with(variables)).await.unwrap().instance
}

async fn state(orloj: &Orloj, instance: InstanceKey) -> InstanceState {
    orloj.instance(instance).await.unwrap().view.state
}

async fn jobs(orloj: &Orloj) -> Vec<JobView> {
    orloj.jobs().list(JobFilter::default(), ALL).await.unwrap()
}

/// Keeps what it is offered; counts how often it was started and stopped.
#[derive(Clone, Default)]
struct Shelf {
    offers: Arc<Mutex<Vec<Offer>>>,
    switched: Arc<Mutex<Vec<&'static str>>>,
}

impl Shelf {
    async fn holding(&self, count: usize) {
        while self.offers.lock().unwrap().len() < count {
            tokio::task::yield_now().await;
        }
    }

    fn taken(&self) -> Vec<Offer> {
        std::mem::take(&mut *self.offers.lock().unwrap())
    }

    fn switched(&self) -> Vec<&'static str> {
        self.switched.lock().unwrap().clone()
    }
}

impl orloj::Executor for Shelf {
    fn execute(&self, offer: Offer) {
        self.offers.lock().unwrap().push(offer);
    }

    fn start(&self) {
        self.switched.lock().unwrap().push("start");
    }

    fn stop(&self) {
        self.switched.lock().unwrap().push("stop");
    }
}

#[test]
fn an_own_executor_decides_when_each_job_begins() {
    on_both(|builder| async {
        let ran = Arc::new(Mutex::new(Vec::new()));
        let told = ran.clone();
        let work = move |call: Call| {
            told.lock().unwrap().push(call.variables.get("urgency").unwrap().to_json());
            async { Ok(Document::new()) }
        };
        let shelf = Shelf::default();
        let builder = builder.delegate("test.Work", work).own_executor(shelf.clone());
        let orloj = deployed(builder.executor(true)).await;
        let first = start(&orloj, 1).await;
        let second = start(&orloj, 2).await;
        shelf.holding(2).await;
        assert!(ran.lock().unwrap().is_empty(), "nothing begins by itself");
        assert_eq!(shelf.switched(), ["start"]);
        let mut offers = shelf.taken();
        offers.sort_by_key(|offer| std::cmp::Reverse(offer.job().priority));
        let job = offers[0].job();
        assert_eq!((job.instance, job.priority, job.kind), (second, 2, JobKind::AsyncBefore));
        assert_eq!((job.exclusive, &*job.topic, job.retries_left), (true, "test.Work", 3));
        let mut offers = offers.into_iter();
        // Later, from another thread, and only one of them.
        let late = offers.next().unwrap();
        std::thread::spawn(move || late.run()).join().unwrap();
        while state(&orloj, second).await != InstanceState::Completed {
            tokio::task::yield_now().await;
        }
        assert_eq!(state(&orloj, first).await, InstanceState::Active);
        offers.next().unwrap().run();
        orloj.settle().await;
        assert_eq!(*ran.lock().unwrap(), ["2", "1"]);
        assert_eq!(orloj.metrics().meters.get(Meter::JobSuccessful), 2);
        orloj.shutdown().await;
        assert_eq!(shelf.switched(), ["start", "stop"]);
    });
}

#[test]
fn what_it_rejects_is_given_back_at_no_cost_and_offered_again() {
    on_both(|builder| async {
        let times = Arc::new(AtomicU32::new(0));
        let counted = times.clone();
        // The first is rejected, the second dropped, the third makes it panic.
        let picky = move |offer: Offer| match counted.fetch_add(1, Ordering::SeqCst) {
            0 => offer.reject(),
            1 => drop(offer),
            2 => panic!("out of room"),
            _ => offer.run(),
        };
        let work = |_: Call| async { Ok(Document::new()) };
        let builder = builder.delegate("test.Work", work).own_executor(picky);
        let orloj = deployed(builder.executor(true)).await;
        let instance = start(&orloj, 0).await;
        for time in 1..=3 {
            while times.load(Ordering::SeqCst) < time || jobs(&orloj).await[0].locked_by.is_some() {
                tokio::task::yield_now().await;
            }
            let job = &jobs(&orloj).await[0];
            assert_eq!((job.retries_left, job.failure.as_deref()), (3, None));
            assert_eq!(orloj.metrics().meters.get(Meter::JobExecutionRejected), u64::from(time));
            assert_eq!(times.load(Ordering::SeqCst), time, "not at once again");
            orloj.advance(Duration::from_millis(200)).unwrap();
        }
        orloj.settle().await;
        assert_eq!(state(&orloj, instance).await, InstanceState::Completed);
        orloj.shutdown().await;
    });
}

#[test]
fn what_it_keeps_is_given_back_when_the_node_stops_taking_jobs() {
    on_both(|builder| async {
        let shelf = Shelf::default();
        let work = |_: Call| async { Ok(Document::new()) };
        let builder = builder.delegate("test.Work", work).own_executor(shelf.clone());
        let orloj = deployed(builder.executor(true)).await;
        let instance = start(&orloj, 0).await;
        shelf.holding(1).await;
        assert!(jobs(&orloj).await[0].locked_by.is_some());
        orloj.executor().stop().await.unwrap();
        orloj.settle().await;
        let job = &jobs(&orloj).await[0];
        assert_eq!((&job.locked_by, job.retries_left), (&None, 3));
        // Too late: it is not this node's any more.
        shelf.taken().into_iter().for_each(Offer::run);
        orloj.settle().await;
        assert_eq!(state(&orloj, instance).await, InstanceState::Active);
        orloj.executor().start().await.unwrap();
        shelf.holding(1).await;
        shelf.taken().into_iter().for_each(Offer::run);
        orloj.settle().await;
        assert_eq!(state(&orloj, instance).await, InstanceState::Completed);
        assert_eq!(shelf.switched(), ["start", "stop", "start"]);
        orloj.shutdown().await;
    });
}

#[test]
fn offers_come_in_the_order_of_the_jobs() {
    on_both(|builder| async {
        let shelf = Shelf::default();
        let work = |_: Call| async { Ok(Document::new()) };
        let builder = builder.delegate("test.Work", work).own_executor(shelf.clone());
        let options = ExecutorOptions {
            order: Order::default(),
            is_active: false,
            ..ExecutorOptions::default()
        };
        let orloj = deployed(builder.executor_options(options).calls_max(100)).await;
        for urgency in 0..100 {
            start(&orloj, urgency * 37 % 100).await;
        }
        orloj.executor().start().await.unwrap();
        shelf.holding(100).await;
        let offers = shelf.taken();
        let offered: Vec<i64> = offers.iter().map(|offer| offer.job().priority).collect();
        assert_eq!(offered, (0..100).rev().collect::<Vec<_>>());
        offers.into_iter().for_each(Offer::run);
        orloj.settle().await;
        orloj.shutdown().await;
    });
}

#[test]
fn it_is_asked_about_timers_too() {
    on_both(|builder| async {
        let shelf = Shelf::default();
        let orloj = deployed(builder.own_executor(shelf.clone()).executor(true)).await;
        let instance = orloj.start(StartInstance::latest("later")).await.unwrap().instance;
        orloj.advance(Duration::from_secs(600)).unwrap();
        shelf.holding(1).await;
        let offers = shelf.taken();
        assert_eq!((offers[0].job().kind, offers[0].job().instance), (JobKind::Timer, instance));
        assert_eq!(state(&orloj, instance).await, InstanceState::Active);
        offers.into_iter().for_each(Offer::run);
        orloj.settle().await;
        assert_eq!(state(&orloj, instance).await, InstanceState::Completed);
        orloj.shutdown().await;
    });
}

#[test]
fn at_once_is_what_the_engine_does_by_itself() {
    on_both(|builder| async {
        let work = |_: Call| async { Ok(Document::new()) };
        let builder = builder.delegate("test.Work", work).own_executor(AtOnce);
        let orloj = deployed(builder.executor(true)).await;
        let mut instances = Vec::new();
        for urgency in 0..20 {
            instances.push(start(&orloj, urgency).await);
        }
        orloj.settle().await;
        for instance in instances {
            assert_eq!(state(&orloj, instance).await, InstanceState::Completed);
        }
        orloj.shutdown().await;
    });
}

#[test]
fn what_does_not_fit_into_the_queue_stays_unlocked_and_loses_no_try() {
    on_both(|builder| async {
        let gate = Arc::new(Semaphore::new(0));
        let entry = gate.clone();
        let work = move |_: Call| {
            let entry = entry.clone();
            async move {
                entry.acquire().await.expect("open").forget();
                Ok(Document::new())
            }
        };
        let options = ExecutorOptions { queue_jobs_max: 1, ..ExecutorOptions::default() };
        let builder = builder.delegate("test.Work", work).calls_max(1).executor_options(options);
        let orloj = deployed(builder).await;
        let mut instances = Vec::new();
        for _ in 0..5 {
            instances.push(start(&orloj, 0).await);
        }
        // One runs, one is queued.
        let locked = async || {
            let jobs = jobs(&orloj).await;
            jobs.iter().filter(|job| job.locked_by.is_some()).count()
        };
        while locked().await < 2 {
            tokio::task::yield_now().await;
        }
        let all = jobs(&orloj).await;
        assert_eq!((all.len(), locked().await), (5, 2));
        assert!(all.iter().all(|job| job.retries_left == 3 && job.failure.is_none()));
        let rejected = orloj.metrics().meters.get(Meter::JobExecutionRejected);
        assert!(rejected > 0, "{rejected}");
        gate.add_permits(10);
        orloj.settle().await;
        for instance in instances {
            assert_eq!(state(&orloj, instance).await, InstanceState::Completed);
        }
        orloj.shutdown().await;
    });
}
