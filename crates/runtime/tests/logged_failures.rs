//! Which failures of jobs are worth a line of the log. A binary of its own: the log is one for all.

#![expect(clippy::disallowed_methods, reason = "someone waits while someone else works")]

use std::fmt;
use std::sync::Mutex;
use std::time::Duration;

use orloj::settings::Settings;
use orloj::types::Document;
use orloj::{Call, Deploy, Fault, JobFilter, Orloj, StartInstance};
use tracing::field::{Field, Visit};
use tracing::span;

const STEP: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="test">
  <process id="step" isExecutable="true" camunda:historyTimeToLive="P1D">
    <startEvent id="start"/>
    <sequenceFlow id="a" sourceRef="start" targetRef="work"/>
    <serviceTask id="work" camunda:asyncBefore="true" camunda:class="test.Work"/>
  </process>
</definitions>"#;

static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());

struct Lines;

impl tracing::Subscriber for Lines {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        *metadata.level() <= tracing::Level::WARN
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        LINES.lock().expect("sound").push(line.0);
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if ["message", "element", "retries_left"].contains(&field.name()) {
            self.0.push_str(&format!("{field}={value:?} "));
        }
    }
}

async fn failures_of(settings: Settings) -> Vec<String> {
    LINES.lock().expect("sound").clear();
    let work = |_: Call| async { Err::<Document, _>(Fault::failed("no line")) };
    let builder = Orloj::builder().settings(settings).executor(true).delegate("test.Work", work);
    let orloj = builder.build().await.expect("an engine");
    orloj.deploy(Deploy::file("step.bpmn", STEP.as_bytes())).await.expect("deployed");
    orloj.start(StartInstance::latest("step")).await.expect("started");
    let dead = JobFilter { has_retries: Some(false), ..JobFilter::default() };
    while orloj.jobs().count(dead.clone()).await.expect("counted") == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    orloj.shutdown().await;
    let lines = LINES.lock().expect("sound");
    lines.iter().filter(|line| line.contains("a job failed")).cloned().collect()
}

#[tokio::test]
async fn with_reduced_logging_only_the_last_failure_is_told() {
    tracing::subscriber::set_global_default(Lines).expect("the only one");
    let all = failures_of(Settings::default()).await;
    assert_eq!(all.len(), 3, "{all:?}");
    assert!(all[0].contains("retries_left=2"), "{all:?}");
    let mut settings = Settings::default();
    settings.jobs.reduced_logging = true;
    let last = failures_of(settings).await;
    assert_eq!(last.len(), 1, "{last:?}");
    assert!(last[0].contains("retries_left=0"), "{last:?}");
}
