//! Who waits for room, for a limit or for a breaker is told, and what is advised clears it.

use std::sync::Arc;
use std::time::Duration;

use crate::explaining::{
    ALL, BEGIN, active, codes, deployed, fails, held, job, limit, locked, on_both, reasons, ships,
    start, step, succeeds,
};
use orloj::store::Rate;
use orloj::types::Document;
use orloj::{BreakerOptions, BreakerRules, ExecutorOptions, FailJob, JobFilter, JobState, Remedy};
use tokio::sync::Semaphore;

#[test]
fn a_job_that_runs_is_told_where_and_one_beyond_the_limit_who_is_first() {
    on_both(|builder| async {
        let gate = Arc::new(Semaphore::new(0));
        let builder = builder.node_name("anna").executor_options(active());
        let orloj = deployed(builder.delegate("test.Work", held(&gate))).await;
        orloj.limits().set(limit(Some(1), None)).await.unwrap();
        let both = [step(&orloj).await, step(&orloj).await];
        while locked(&orloj).await.is_empty() {
            tokio::task::yield_now().await;
        }
        let first = locked(&orloj).await[0];
        let second = both.into_iter().find(|key| *key != first).unwrap();
        while !reasons(&orloj, first).await[0].text.contains("runs it since") {
            tokio::task::yield_now().await;
        }
        assert_eq!(codes(&orloj, first).await, ["running"]);
        let found = reasons(&orloj, first).await;
        assert_eq!(found[0].text, format!("node 'anna' runs it since {BEGIN}"));
        let found = reasons(&orloj, second).await;
        assert_eq!(found.len(), 1, "{found:?}");
        let text = format!("the limit of 'test.Work' is 1 at once, and 1 run: {first}");
        assert_eq!((found[0].code, &found[0].text), ("limit-reached", &text));
        let remedy = found[0].remedy.as_ref().unwrap().to_string();
        assert_eq!(remedy, "orloj limit set --max 2 topic test.Work");
        gate.add_permits(2);
        orloj.settle().await;
        assert!(orloj.jobs().list(JobFilter::default(), ALL).await.unwrap().is_empty());
        orloj.shutdown().await;
    });
}

/// More than a page of holders: they are counted, and some are named.
#[test]
fn a_limit_above_a_page_is_told_too() {
    on_both(|builder| async {
        let gate = Arc::new(Semaphore::new(0));
        let options = ExecutorOptions { queue_jobs_max: 2_000, ..active() };
        let builder = builder.executor_options(options).calls_max(2_000);
        let orloj = deployed(builder.delegate("test.Work", held(&gate))).await;
        orloj.limits().set(limit(Some(1_001), None)).await.unwrap();
        let mut last = None;
        for _ in 0..1_002 {
            last = Some(start(&orloj, "step").await);
        }
        let filter = JobFilter { is_locked: Some(true), ..JobFilter::default() };
        while orloj.jobs().count(filter.clone()).await.unwrap() < 1_001 {
            tokio::task::yield_now().await;
        }
        let free = JobFilter { is_locked: Some(false), ..JobFilter::default() };
        let free = orloj.jobs().list(free, ALL).await.unwrap();
        assert_eq!(free.len(), 1, "started last: {last:?}");
        let found = reasons(&orloj, free[0].key).await;
        assert_eq!((found[0].code, found.len()), ("limit-reached", 1), "{found:?}");
        let text = "the limit of 'test.Work' is 1001 at once, and 1001 run: ";
        assert!(found[0].text.starts_with(text), "{found:?}");
        gate.add_permits(2_000);
        orloj.settle().await;
        orloj.shutdown().await;
    });
}

#[test]
fn a_job_beyond_a_full_pool_is_told_that_the_node_is_busy() {
    on_both(|builder| async {
        let gate = Arc::new(Semaphore::new(0));
        let options = ExecutorOptions { queue_jobs_max: 1, ..active() };
        let builder = builder.node_name("anna").calls_max(1).executor_options(options);
        let orloj = deployed(builder.delegate("test.Work", held(&gate))).await;
        for _ in 0..6 {
            start(&orloj, "step").await;
        }
        while orloj.executor().report().await.unwrap().running.is_empty() {
            tokio::task::yield_now().await;
        }
        let free = JobFilter { is_locked: Some(false), ..JobFilter::default() };
        let waits = orloj.jobs().list(free, ALL).await.unwrap()[0].key;
        let found = reasons(&orloj, waits).await;
        assert_eq!((found[0].code, found.len()), ("busy", 1), "{found:?}");
        let queued = orloj.executor().report().await.unwrap().queued;
        let text = format!("node 'anna' is busy: {queued} jobs are queued, 1 of at most 1 run");
        assert_eq!(found[0].text, text);
        assert_eq!(found[0].remedy, Some(Remedy::Execute(waits)));
        gate.add_permits(10);
        orloj.settle().await;
        assert!(orloj.jobs().list(JobFilter::default(), ALL).await.unwrap().is_empty());
        orloj.shutdown().await;
    });
}

#[test]
fn a_job_that_only_the_next_look_finds_is_told_when_that_is() {
    on_both(|builder| async {
        let options = ExecutorOptions { hint: false, ..active() };
        let builder = builder.node_name("anna").executor_options(options);
        let orloj = deployed(builder.delegate("test.Work", succeeds)).await;
        orloj.settle().await;
        let key = step(&orloj).await;
        let found = reasons(&orloj, key).await;
        assert_eq!((found[0].code, found.len()), ("acquisition-waits", 1), "{found:?}");
        let at = BEGIN.plus_ms(5_000);
        assert_eq!(found[0].text, format!("node 'anna' acquires jobs again at {at}"));
        orloj.advance(Duration::from_secs(5)).unwrap();
        orloj.settle().await;
        assert!(orloj.jobs().get(key).await.is_err(), "it is done");
        orloj.shutdown().await;
    });
}

#[test]
fn a_rate_tells_when_it_goes_on_and_the_advice_keeps_the_rest_of_the_limit() {
    on_both(|builder| async {
        let builder = builder.executor_options(active());
        let orloj = deployed(builder.delegate("test.Work", succeeds)).await;
        let rate = Rate { jobs: 1, interval_ms: 60_000, burst: 1 };
        orloj.limits().set(limit(Some(3), Some(rate))).await.unwrap();
        start(&orloj, "step").await;
        orloj.settle().await;
        let second = step(&orloj).await;
        orloj.settle().await;
        let found = reasons(&orloj, second).await;
        assert_eq!(found[0].code, "rate-reached", "{found:?}");
        let at = BEGIN.plus_ms(60_000);
        assert_eq!(
            found[0].text,
            format!("the rate of 'test.Work' lets the next job begin at {at}")
        );
        let remedy = found[0].remedy.as_ref().unwrap().to_string();
        assert_eq!(remedy, "orloj limit set --max 3 topic test.Work");
        orloj.shutdown().await;
    });
}

#[test]
fn an_open_breaker_is_named_until_it_is_closed() {
    on_both(|builder| async {
        let breaker = BreakerOptions {
            failures_in_a_row: 1,
            window_ms: None,
            ratio: None,
            open_ms: 10_000,
            growth: 1.0,
            open_ms_max: 10_000,
        };
        let breakers = BreakerRules { topics: [("test.Work".into(), breaker)].into(), all: None };
        let builder = builder.executor_options(ExecutorOptions { breakers, ..active() });
        let orloj = deployed(builder.delegate("test.Work", fails)).await;
        start(&orloj, "step").await;
        orloj.settle().await;
        let second = step(&orloj).await;
        orloj.settle().await;
        let found = reasons(&orloj, second).await;
        assert_eq!(found[0].code, "breaker-open", "{found:?}");
        assert_eq!(found[0].remedy, Some(Remedy::CloseBreaker("test.Work".into())));
        orloj.executor().close_breaker("test.Work").await.unwrap();
        orloj.settle().await;
        let view = orloj.jobs().get(second).await.unwrap();
        assert_eq!(view.state, JobState::Failed, "it was let through");
        orloj.shutdown().await;
    });
}

#[test]
fn an_open_breaker_keeps_jobs_from_workers_too() {
    on_both(|builder| async {
        let breaker = BreakerOptions {
            failures_in_a_row: 1,
            window_ms: None,
            open_ms: 10_000,
            ..BreakerOptions::default()
        };
        let breakers = BreakerRules { topics: [("ship".into(), breaker)].into(), all: None };
        let builder = builder.executor_options(ExecutorOptions { breakers, ..active() });
        let orloj = deployed(builder).await;
        start(&orloj, "later").await;
        let second = start(&orloj, "later").await;
        orloj.advance(Duration::from_secs(600)).unwrap();
        orloj.settle().await;
        let second = job(&orloj, second).await;
        assert_eq!(codes(&orloj, second).await, ["no-worker"]);
        let taken = orloj.activate_jobs(ships()).await.unwrap().remove(0);
        assert_ne!(taken.key, second);
        let fail = FailJob {
            job: taken.key,
            retries: 0,
            message: "no truck".into(),
            details: None,
            back_off_ms: 0,
            variables: Document::new(),
        };
        orloj.fail_job(fail).await.unwrap();
        let found = reasons(&orloj, second).await;
        assert_eq!(codes(&orloj, second).await, ["breaker-open"], "no worker would get it");
        assert_eq!(found[0].remedy, Some(Remedy::CloseBreaker("ship".into())));
        orloj.executor().close_breaker("ship").await.unwrap();
        assert_eq!(codes(&orloj, second).await, ["no-worker"]);
        orloj.shutdown().await;
    });
}
