//! Reading a large file.

use std::fmt::Write as _;
use std::time::Instant;

use orloj_model::{Dialect, Options as Reading, parse};

use super::Options;
use crate::report::{Figure, median};

const BYTES: usize = 1 << 20;

pub fn figure(options: &Options) -> anyhow::Result<Figure> {
    let file = model();
    let reading = Reading::of(Dialect::Camunda7);
    let mut times = Vec::new();
    for _ in 0..options.rounds.max(1) {
        let began = Instant::now();
        let parsed = parse(file.as_bytes(), &reading);
        times.push(began.elapsed().as_secs_f64() * 1e3);
        anyhow::ensure!(!parsed.has_errors(), "{:?}", parsed.diagnostics.first());
    }
    let settings = format!("{} KiB of service tasks in a chain", file.len() >> 10);
    Ok(super::figure("reading", median(times), "ms", settings))
}

fn model() -> String {
    let mut file = String::from(
        r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
        xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="bench">
        <process id="p" isExecutable="true"><startEvent id="t0"/>"#,
    );
    let mut task = 0;
    while file.len() < BYTES {
        task += 1;
        let before = task - 1;
        let _ = write!(
            file,
            r#"<sequenceFlow id="f{task}" sourceRef="t{before}" targetRef="t{task}"/>
            <serviceTask id="t{task}" name="Task number {task}" camunda:type="external"
              camunda:topic="topic-{task}" camunda:asyncBefore="true">
              <extensionElements><camunda:inputOutput>
                <camunda:inputParameter name="amount">${{total + {task}}}</camunda:inputParameter>
              </camunda:inputOutput></extensionElements></serviceTask>"#
        );
    }
    file.push_str("</process></definitions>");
    file
}
