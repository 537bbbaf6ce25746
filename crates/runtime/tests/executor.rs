//! The executor inside an application: switched on and off, in order, sparing what fails, giving up
//! what hangs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use orloj::history::{JobLogFilter, Span};
use orloj::store::{LimitScope, NewLimit};
use orloj::types::{Document, InstanceKey, TenantId, Timestamp};
use orloj::{
    ActivateJobs, ActivatedJob, BreakerOptions, BreakerRules, Builder, Call, Deploy,
    ExecutorOptions, FailJob, Fault, InstanceState, LongPoll, LongestRun, Meter, Order, Orloj,
    StartInstance,
};
use tokio::sync::{Semaphore, mpsc};

/// One asynchronous step; its priority is a variable.
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
</definitions>"#;

fn builder() -> Builder {
    Orloj::builder().pinned_clock(Timestamp::from_ms(1_900_000_000_000))
}

async fn deployed(builder: Builder) -> Orloj {
    let orloj = builder.build().await.expect("an engine");
    orloj.deploy(Deploy::file("step.bpmn", STEP.as_bytes())).await.expect("deployed");
    orloj
}

async fn start(orloj: &Orloj, urgency: i64) -> InstanceKey {
    let variables = Document::new().with("urgency", urgency);
    orloj.start(StartInstance::latest("step").with(variables)).await.expect("started").instance
}

async fn state(orloj: &Orloj, instance: InstanceKey) -> InstanceState {
    orloj.instance(instance).await.expect("there").view.state
}

fn urgency(call: &Call) -> i64 {
    call.variables.get("urgency").expect("one").to_json().parse().expect("a number")
}

#[tokio::test]
async fn nothing_runs_until_the_executor_is_started() {
    let orloj =
        deployed(builder().delegate("test.Work", |_: Call| async { Ok(Document::new()) })).await;
    assert!(!orloj.executor().is_active());
    let first = start(&orloj, 0).await;
    orloj.settle().await;
    assert_eq!(state(&orloj, first).await, InstanceState::Active);
    orloj.executor().start().await.expect("started");
    orloj.settle().await;
    assert!(orloj.executor().is_active());
    assert_eq!(state(&orloj, first).await, InstanceState::Completed);
    orloj.executor().stop().await.expect("stopped");
    orloj.executor().stop().await.expect("nothing to do");
    assert!(!orloj.executor().is_active());
    let second = start(&orloj, 0).await;
    orloj.settle().await;
    assert_eq!(state(&orloj, second).await, InstanceState::Active);
    orloj.executor().start().await.expect("started");
    orloj.settle().await;
    assert_eq!(state(&orloj, second).await, InstanceState::Completed);
    assert_eq!(orloj.metrics().meters.get(Meter::JobSuccessful), 2);
    assert_eq!(orloj.metrics().meters.get(Meter::RootProcessInstanceStart), 2);
    orloj.shutdown().await;
}

/// A step, and a timer that leads to a person.
const WAIT: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="test">
  <process id="wait" isExecutable="true" camunda:historyTimeToLive="P1D">
    <startEvent id="start"/>
    <sequenceFlow id="a" sourceRef="start" targetRef="work"/>
    <serviceTask id="work" camunda:asyncBefore="true" camunda:class="test.Work"/>
    <sequenceFlow id="b" sourceRef="work" targetRef="soon"/>
    <intermediateCatchEvent id="soon">
      <timerEventDefinition><timeDuration>PT1M</timeDuration></timerEventDefinition>
    </intermediateCatchEvent>
    <sequenceFlow id="c" sourceRef="soon" targetRef="ask"/>
    <userTask id="ask"/>
  </process>
</definitions>"#;

#[tokio::test]
async fn what_is_run_is_counted_and_told_whoever_runs_it() {
    let calls = AtomicU32::new(0);
    let work = move |_: Call| {
        let is_first = calls.fetch_add(1, Ordering::SeqCst) == 0;
        async move {
            match is_first {
                true => Err(Fault::failed("away").with_details("at the post office\nat the door")),
                false => Ok(Document::new()),
            }
        }
    };
    let builder = builder().node_name("one").delegate("test.Work", work);
    let orloj = builder.build().await.expect("an engine");
    orloj.deploy(Deploy::file("wait.bpmn", WAIT.as_bytes())).await.expect("deployed");
    let instance = orloj.start(StartInstance::latest("wait")).await.expect("started").instance;
    let job = orloj.instance(instance).await.expect("there").jobs[0].key;
    orloj.jobs().execute(job).await.expect_err("the first call fails");
    orloj.jobs().execute(job).await.expect("the second does not");
    orloj.executor().start().await.expect("started");
    orloj.advance(Duration::from_secs(60)).expect("pinned");
    orloj.settle().await;
    assert!(orloj.instance(instance).await.expect("there").jobs.is_empty(), "it waits for someone");
    let meters = &orloj.metrics().meters;
    assert_eq!((meters.get(Meter::JobSuccessful), meters.get(Meter::JobFailed)), (2, 1));
    let log = orloj.history().job_log(instance, &JobLogFilter::default(), Span::default()).await;
    let log = log.expect("a log");
    let told: Vec<_> = log
        .iter()
        .map(|row| (&*row.element, row.state.word(), row.run_by.as_deref().unwrap_or("-")))
        .collect();
    let expected = [
        ("work", "created", "-"),
        ("work", "failed", "one"),
        ("work", "successful", "one"),
        ("soon", "created", "-"),
        ("soon", "successful", "one"),
    ];
    assert_eq!(told, expected);
    assert_eq!(log[1].details.as_deref(), Some("at the post office\nat the door"));
    assert_eq!(log[2].details, None);
    orloj.shutdown().await;
}

#[tokio::test]
async fn a_limit_holds_up_a_timer_though_it_calls_nothing() {
    let builder = builder().delegate("test.Work", |_: Call| async { Ok(Document::new()) });
    let orloj = builder.build().await.expect("an engine");
    let tenant = TenantId::new("acme");
    let file = Deploy::file("wait.bpmn", WAIT.as_bytes());
    orloj.deploy(Deploy { tenant: tenant.clone(), ..file }).await.expect("deployed");
    orloj.executor().start().await.expect("started");
    let start = StartInstance { tenant, ..StartInstance::latest("wait") };
    let instance = orloj.start(start).await.expect("started").instance;
    orloj.settle().await;
    let limit = |max_concurrent| NewLimit {
        scope: LimitScope::Tenant,
        name: "acme".into(),
        max_concurrent: Some(max_concurrent),
        rate: None,
    };
    let waits = async || orloj.instance(instance).await.expect("there").jobs.len();
    orloj.limits().set(limit(0)).await.expect("set");
    orloj.advance(Duration::from_secs(60)).expect("pinned");
    orloj.settle().await;
    assert_eq!(waits().await, 1, "nothing of the tenant runs");
    orloj.limits().set(limit(1)).await.expect("set");
    orloj.settle().await;
    assert_eq!(waits().await, 0);
    orloj.shutdown().await;
}

/// Two exclusive jobs of one instance, which call different code.
const FORK: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="test">
  <process id="fork" isExecutable="true" camunda:historyTimeToLive="P1D">
    <startEvent id="start"/>
    <sequenceFlow id="s" sourceRef="start" targetRef="both"/>
    <parallelGateway id="both"/>
    <sequenceFlow id="a" sourceRef="both" targetRef="first"/>
    <serviceTask id="first" camunda:asyncBefore="true" camunda:class="test.First"/>
    <sequenceFlow id="b" sourceRef="both" targetRef="second"/>
    <serviceTask id="second" camunda:asyncBefore="true" camunda:class="test.Second"/>
  </process>
</definitions>"#;

async fn forking(builder: Builder) -> Orloj {
    let builder = builder
        .delegate("test.First", |_: Call| async { Ok(Document::new()) })
        .delegate("test.Second", |_: Call| async { Ok(Document::new()) });
    let orloj = builder.build().await.expect("an engine");
    orloj.deploy(Deploy::file("fork.bpmn", FORK.as_bytes())).await.expect("deployed");
    orloj
}

/// Elements of the jobs that an instance has left.
async fn left(orloj: &Orloj, instance: InstanceKey) -> Vec<String> {
    let jobs = orloj.instance(instance).await.expect("there").jobs;
    jobs.iter().map(|job| job.element.to_string()).collect()
}

#[tokio::test]
async fn an_exclusive_job_that_a_limit_holds_up_holds_up_no_other() {
    let orloj = forking(builder()).await;
    let limit = |max_concurrent| NewLimit {
        scope: LimitScope::Topic,
        name: "test.First".into(),
        max_concurrent: Some(max_concurrent),
        rate: None,
    };
    orloj.limits().set(limit(0)).await.expect("set");
    orloj.executor().start().await.expect("started");
    let start = StartInstance::latest("fork");
    let instance = orloj.start(start).await.expect("started").instance;
    orloj.settle().await;
    orloj.advance(Duration::from_secs(20)).expect("pinned");
    orloj.settle().await;
    assert_eq!(left(&orloj, instance).await, ["first"]);
    orloj.limits().set(limit(1)).await.expect("set");
    orloj.settle().await;
    assert_eq!(state(&orloj, instance).await, InstanceState::Completed);
    orloj.shutdown().await;
}

/// An engine whose step runs one job at a time, each when it is let; what ran is told.
async fn one_at_a_time(
    options: ExecutorOptions,
) -> (Orloj, Arc<Semaphore>, mpsc::UnboundedReceiver<i64>) {
    let gate = Arc::new(Semaphore::new(0));
    let (ran, has_run) = mpsc::unbounded_channel();
    let entry = gate.clone();
    let work = move |call: Call| {
        let (entry, ran) = (entry.clone(), ran.clone());
        async move {
            entry.acquire().await.expect("open").forget();
            ran.send(urgency(&call)).expect("somebody listens");
            Ok(Document::new())
        }
    };
    let builder = builder().delegate("test.Work", work).calls_max(1).executor_options(options);
    (deployed(builder).await, gate, has_run)
}

async fn drained(has_run: &mut mpsc::UnboundedReceiver<i64>, jobs: usize) -> Vec<i64> {
    let mut ran = Vec::new();
    while ran.len() < jobs {
        ran.push(has_run.recv().await.expect("more"));
    }
    ran
}

#[tokio::test]
async fn jobs_run_by_priority_whether_queued_handed_over_or_left_in_the_store() {
    // A queue of everything, of three, and of one.
    for queue_jobs_max in [8_192, 3, 1] {
        let order = Order::default();
        let options = ExecutorOptions { queue_jobs_max, order, ..ExecutorOptions::default() };
        let (orloj, gate, mut has_run) = one_at_a_time(options).await;
        // The first one runs and keeps the only place while the others come.
        start(&orloj, 100).await;
        for urgency in [1, 5, 3, 5, 9, 1, 7] {
            start(&orloj, urgency).await;
        }
        gate.add_permits(100);
        let ran = drained(&mut has_run, 8).await;
        assert_eq!(ran, [100, 9, 7, 5, 5, 3, 1, 1], "a queue of {queue_jobs_max}");
        orloj.shutdown().await;
    }
}

#[tokio::test]
async fn with_aging_a_job_that_waits_overtakes_in_time() {
    let order = Order::Aging { step_ms: 1_000 };
    let options = ExecutorOptions { order, ..ExecutorOptions::default() };
    let (orloj, gate, mut has_run) = one_at_a_time(options).await;
    start(&orloj, 100).await;
    start(&orloj, 1).await;
    orloj.advance(Duration::from_secs(3)).expect("pinned");
    // Three seconds are worth three points: four is not enough to go first, five is.
    start(&orloj, 3).await;
    start(&orloj, 5).await;
    gate.add_permits(100);
    assert_eq!(drained(&mut has_run, 4).await, [100, 5, 1, 3]);
    orloj.shutdown().await;
}

/// A timer that is due at a given moment, and then a person.
const TIMED: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="test">
  <process id="timed" isExecutable="true" camunda:historyTimeToLive="P1D">
    <startEvent id="start"/>
    <sequenceFlow id="a" sourceRef="start" targetRef="wait"/>
    <intermediateCatchEvent id="wait">
      <timerEventDefinition><timeDate>${due}</timeDate></timerEventDefinition>
    </intermediateCatchEvent>
    <sequenceFlow id="b" sourceRef="wait" targetRef="ask"/>
    <userTask id="ask"/>
  </process>
</definitions>"#;

async fn timed(orloj: &Orloj, due: Timestamp) -> InstanceKey {
    let variables = Document::new().with("due", &*due.to_string());
    orloj.start(StartInstance::latest("timed").with(variables)).await.expect("started").instance
}

/// Nobody else could put it into its place.
#[tokio::test]
async fn a_node_alone_that_acquires_nothing_runs_the_timers_it_fires() {
    for order in [Order::NONE, Order::default()] {
        let options = ExecutorOptions { takes_jobs: false, order, ..ExecutorOptions::default() };
        let orloj = builder().executor_options(options).build().await.expect("an engine");
        orloj.deploy(Deploy::file("timed.bpmn", TIMED.as_bytes())).await.expect("deployed");
        let instance = timed(&orloj, orloj.now().plus_ms(1_000)).await;
        orloj.advance(Duration::from_secs(1)).expect("pinned");
        orloj.settle().await;
        assert_eq!(orloj.instance(instance).await.expect("there").jobs.len(), 0);
        orloj.shutdown().await;
    }
}

#[tokio::test]
async fn workers_get_their_delayed_jobs_back_however_many_timers_nobody_fires() {
    let options = ExecutorOptions { fires_timers: false, ..ExecutorOptions::default() };
    let orloj = builder().executor_options(options).build().await.expect("an engine");
    orloj.deploy(Deploy::file("timed.bpmn", TIMED.as_bytes())).await.expect("deployed");
    orloj.deploy(Deploy::file("mail.bpmn", MAIL.as_bytes())).await.expect("deployed");
    let due = orloj.now().plus_ms(1_000);
    futures_util::future::join_all((0..300).map(|_| timed(&orloj, due))).await;
    orloj.start(StartInstance::latest("mail")).await.expect("started");
    let job = activated(&orloj, "mail", 1).await.remove(0).key;
    let fail = FailJob {
        job,
        retries: 2,
        message: "no connection".into(),
        details: None,
        back_off_ms: 10_000,
        variables: Document::new(),
    };
    orloj.fail_job(fail).await.expect("failed");
    orloj.advance(Duration::from_secs(9)).expect("pinned");
    orloj.settle().await;
    assert_eq!(activated(&orloj, "mail", 1).await.len(), 0);
    orloj.advance(Duration::from_secs(1)).expect("pinned");
    orloj.settle().await;
    assert_eq!(activated(&orloj, "mail", 1).await.len(), 1);
    orloj.shutdown().await;
}

#[tokio::test]
async fn jobs_outside_of_the_range_are_left_to_others() {
    let options = ExecutorOptions { priorities: 5..=10, ..ExecutorOptions::default() };
    let (orloj, gate, mut has_run) = one_at_a_time(options).await;
    gate.add_permits(100);
    for urgency in [4, 5, 10, 11] {
        start(&orloj, urgency).await;
    }
    orloj.settle().await;
    let mut ran = drained(&mut has_run, 2).await;
    ran.sort_unstable();
    assert_eq!(ran, [5, 10]);
    assert!(has_run.try_recv().is_err());
    orloj.shutdown().await;
}

#[tokio::test]
async fn stopping_gives_queued_jobs_back_and_finishes_the_one_that_runs() {
    let (orloj, gate, mut has_run) = one_at_a_time(ExecutorOptions::default()).await;
    let instances = [start(&orloj, 3).await, start(&orloj, 2).await, start(&orloj, 1).await];
    orloj.executor().stop().await.expect("stopped");
    gate.add_permits(100);
    orloj.settle().await;
    assert_eq!(drained(&mut has_run, 1).await, [3], "it ran already");
    assert_eq!(state(&orloj, instances[0]).await, InstanceState::Completed);
    let page = orloj::Page { before: None, limit: 10 };
    let jobs = orloj.jobs().list(Default::default(), page).await.expect("read");
    assert_eq!(jobs.len(), 2);
    for job in jobs {
        assert_eq!((job.locked_by, job.retries_left), (None, 3));
    }
    orloj.executor().start().await.expect("started");
    assert_eq!(drained(&mut has_run, 2).await, [2, 1]);
    orloj.shutdown().await;
}

#[tokio::test]
async fn a_breaker_spares_code_that_fails_and_lets_one_job_try() {
    let calls = Arc::new(AtomicU32::new(0));
    let counted = calls.clone();
    let work = move |_: Call| {
        let nth = counted.fetch_add(1, Ordering::SeqCst) + 1;
        async move {
            match nth {
                ..=4 => Err(Fault::failed("away")),
                _ => Ok(Document::new()),
            }
        }
    };
    let breaker = BreakerOptions {
        failures_in_a_row: 3,
        window_ms: None,
        ratio: None,
        open_ms: 10_000,
        growth: 2.0,
        open_ms_max: 60_000,
    };
    let breakers = BreakerRules { topics: [("test.Work".into(), breaker)].into(), all: None };
    let options = ExecutorOptions { breakers, ..ExecutorOptions::default() };
    let builder = builder().delegate("test.Work", work).calls_max(1).executor_options(options);
    let orloj = deployed(builder).await;
    // Three failures of its three attempts open it.
    let first = start(&orloj, 0).await;
    orloj.settle().await;
    assert_eq!(calls.load(Ordering::SeqCst), 3);
    let others = [start(&orloj, 0).await, start(&orloj, 0).await];
    orloj.settle().await;
    assert_eq!(calls.load(Ordering::SeqCst), 3, "nothing is called");
    orloj.advance(Duration::from_secs(10)).expect("pinned");
    orloj.settle().await;
    assert_eq!(calls.load(Ordering::SeqCst), 4, "one tries, and fails");
    orloj.advance(Duration::from_secs(19)).expect("pinned");
    orloj.settle().await;
    assert_eq!(calls.load(Ordering::SeqCst), 4, "open for twice as long");
    orloj.advance(Duration::from_secs(1)).expect("pinned");
    orloj.settle().await;
    assert_eq!(calls.load(Ordering::SeqCst), 6, "one tries and then all go on");
    for instance in others {
        assert_eq!(state(&orloj, instance).await, InstanceState::Completed);
    }
    assert_eq!(state(&orloj, first).await, InstanceState::Active);
    assert_eq!(orloj.metrics().breakers_opened.get(), 2);
    orloj.shutdown().await;
}

/// A task of a worker of type `mail`.
const MAIL: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="test">
  <process id="mail" isExecutable="true" camunda:historyTimeToLive="P1D">
    <startEvent id="start"/>
    <sequenceFlow id="a" sourceRef="start" targetRef="send"/>
    <serviceTask id="send" camunda:type="external" camunda:topic="mail"/>
    <sequenceFlow id="b" sourceRef="send" targetRef="end"/>
    <endEvent id="end"/>
  </process>
  <process id="fax" isExecutable="true" camunda:historyTimeToLive="P1D">
    <startEvent id="start2"/>
    <sequenceFlow id="c" sourceRef="start2" targetRef="dial"/>
    <serviceTask id="dial" camunda:type="external" camunda:topic="fax"/>
  </process>
</definitions>"#;

async fn activated(orloj: &Orloj, job_type: &str, jobs_max: u32) -> Vec<ActivatedJob> {
    let ask = ActivateJobs {
        job_type: job_type.into(),
        worker: "anna".into(),
        timeout_ms: 60_000,
        jobs_max,
        fetch_variables: Vec::new(),
        long_poll: LongPoll::No,
        bytes_max: 1 << 20,
    };
    orloj.activate_jobs(ask).await.expect("an answer")
}

#[tokio::test]
async fn a_breaker_spares_workers_that_fail_and_lets_one_job_try() {
    let breaker = BreakerOptions {
        failures_in_a_row: 2,
        window_ms: None,
        open_ms: 10_000,
        ..BreakerOptions::default()
    };
    // As `topic = "*"` says it.
    let breakers = BreakerRules { all: Some(breaker), ..BreakerRules::default() };
    let options = ExecutorOptions { breakers, ..ExecutorOptions::default() };
    let orloj = builder().executor_options(options).build().await.expect("an engine");
    orloj.deploy(Deploy::file("mail.bpmn", MAIL.as_bytes())).await.expect("deployed");
    for _ in 0..5 {
        orloj.start(StartInstance::latest("mail")).await.expect("started");
    }
    let take = async |jobs_max| activated(&orloj, "mail", jobs_max).await;
    let taken = take(2).await;
    assert_eq!(taken.len(), 2);
    for job in &taken {
        let fail = FailJob {
            job: job.key,
            retries: 0,
            message: "no connection".into(),
            details: None,
            back_off_ms: 0,
            variables: Document::new(),
        };
        orloj.fail_job(fail).await.expect("failed");
    }
    assert_eq!(take(9).await.len(), 0, "nothing is given out");
    orloj.advance(Duration::from_secs(10)).expect("pinned");
    let tried = take(9).await;
    assert_eq!(tried.len(), 1, "one may try");
    assert_eq!(take(9).await.len(), 0, "until it is known how it went");
    // What did not reach the worker of another type says nothing about this one.
    orloj.start(StartInstance::latest("fax")).await.expect("started");
    let fax = activated(&orloj, "fax", 1).await;
    orloj.give_back(vec![(fax[0].key, fax[0].attempt)]).await;
    orloj.settle().await;
    assert_eq!(activated(&orloj, "fax", 1).await.len(), 1, "it was given back");
    assert_eq!(take(9).await.len(), 0, "still until it is known how it went");
    // What did not reach its own worker has not tried.
    orloj.give_back(vec![(tried[0].key, tried[0].attempt)]).await;
    let mut tried = take(9).await;
    while tried.is_empty() {
        tried = take(9).await;
    }
    assert_eq!(tried.len(), 1, "another may try");
    orloj.complete_job(tried[0].key, Document::new()).await.expect("completed");
    assert_eq!(take(9).await.len(), 2, "the rest goes on");
    assert_eq!(orloj.metrics().breakers_opened.get(), 1);
    orloj.shutdown().await;
}

#[tokio::test]
async fn a_job_that_hangs_is_given_up_and_run_again() {
    let calls = Arc::new(AtomicU32::new(0));
    let gate = Arc::new(Semaphore::new(0));
    let (counted, entry) = (calls.clone(), gate.clone());
    let work = move |_: Call| {
        let nth = counted.fetch_add(1, Ordering::SeqCst) + 1;
        let entry = entry.clone();
        async move {
            if nth == 1 {
                entry.acquire().await.expect("open").forget();
            }
            Ok(Document::new().with("nth", i64::from(nth)))
        }
    };
    let longest_run = LongestRun { job_ms: Some(1_000), timer_ms: None, look_every_ms: 0 };
    let options = ExecutorOptions { longest_run, ..ExecutorOptions::default() };
    let orloj = deployed(builder().delegate("test.Work", work).executor_options(options)).await;
    let instance = start(&orloj, 0).await;
    while calls.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    orloj.advance(Duration::from_millis(999)).expect("pinned");
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    orloj.advance(Duration::from_millis(1)).expect("pinned");
    orloj.settle().await;
    assert_eq!(calls.load(Ordering::SeqCst), 2);
    // What the first one says now is dropped.
    gate.add_permits(1);
    orloj.settle().await;
    let detail = orloj.instance(instance).await.expect("there");
    assert_eq!(detail.view.state, InstanceState::Completed);
    assert_eq!(detail.variables.get("nth").expect("set").to_json(), "2");
    assert_eq!(orloj.metrics().hung.get(), 1);
    orloj.shutdown().await;
}

#[tokio::test]
async fn options_that_make_no_sense_are_refused() {
    let refused = |options: ExecutorOptions| async {
        let error = builder().executor_options(options).build().await.err().expect("refused");
        error.to_string()
    };
    let (low, high) = (5, 4);
    let mut options = ExecutorOptions { priorities: low..=high, ..ExecutorOptions::default() };
    assert!(refused(options.clone()).await.contains("no priority lies between 5 and 4"));
    options = ExecutorOptions::default();
    options.order = Order::Aging { step_ms: -1 };
    assert!(refused(options).await.contains("aging"));
}
