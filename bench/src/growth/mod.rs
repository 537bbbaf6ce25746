//! Whether a full database costs: steps beside ever more waiting jobs, timers and instances.
//!
//! Half of what waits has a timer due in a year, half a ready job for workers that nobody runs.
//! The rows are copies of those of two real instances. Writing millions of them can leave a disk
//! slower than it was: the floor is taken before and after each measurement, and the cost is told
//! against it as well.

mod fill;

use std::time::Duration;

use orloj::types::Document;
use orloj::{Deploy, Resource, StartInstance};

use crate::chain::Chain;
use crate::place::{DURABILITY, Ground, Place};
use crate::report::Figure;

#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Numbers of waiting jobs, the first being what the others are compared with
    #[arg(long, value_delimiter = ',', default_value = "10000,1000000,10000000")]
    pub waiting: Vec<u64>,
    /// Seconds before counting
    #[arg(long, default_value_t = 5)]
    pub warm_up_s: u64,
    /// Seconds counted
    #[arg(long, default_value_t = 20)]
    pub counted_s: u64,
    /// Instances in flight
    #[arg(long, default_value_t = 2_000)]
    pub in_flight: usize,
    /// Seconds of each floor probe
    #[arg(long, default_value_t = 5.0)]
    pub floor_s: f64,
    /// Only this store
    #[arg(long)]
    pub store: Option<Place>,
}

const WAITING: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="bench" xmlns:camunda="http://camunda.org/schema/1.0/bpmn" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<process id="timer" isExecutable="true"><startEvent id="start"/><sequenceFlow id="a" sourceRef="start" targetRef="wait"/>
<intermediateCatchEvent id="wait"><timerEventDefinition><timeDuration xsi:type="tFormalExpression">P1Y</timeDuration></timerEventDefinition></intermediateCatchEvent>
<sequenceFlow id="b" sourceRef="wait" targetRef="end"/><endEvent id="end"/></process>
<process id="worker" isExecutable="true"><startEvent id="start2"/><sequenceFlow id="c" sourceRef="start2" targetRef="work"/>
<serviceTask id="work" camunda:type="external" camunda:topic="nobody"/>
<sequenceFlow id="d" sourceRef="work" targetRef="end2"/><endEvent id="end2"/></process>
</definitions>"#;

pub async fn run(ground: &Ground, options: &Options) -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for place in Place::ALL.into_iter().filter(|p| options.store.is_none_or(|s| s == *p)) {
        let mut first = None;
        for &waiting in &options.waiting {
            let (steps, floor) = beside(ground, place, waiting, options).await?;
            eprintln!(
                "{}: {steps:.0} steps/s beside {waiting} waiting jobs, floor {floor:.0}",
                place.name()
            );
            let (base, base_floor) = *first.get_or_insert((steps, floor));
            let settings = format!(
                "{waiting} waiting jobs: {steps:.0} steps/s, floor {floor:.0}, {} in flight, {} s \
                 counted, exclusive jobs, {DURABILITY}",
                options.in_flight, options.counted_s
            );
            for (part, value) in [
                ("cost of a step", base / steps),
                ("cost of a step against the floor", base / base_floor / (steps / floor)),
            ] {
                figures.push(Figure {
                    figure: "growth",
                    part,
                    store: place.name(),
                    value,
                    unit: "× that of the first",
                    floor: None,
                    settings: settings.clone(),
                });
            }
        }
    }
    Ok(figures)
}

/// Steps per second, and what the floor did around them.
async fn beside(
    ground: &Ground,
    place: Place,
    waiting: u64,
    options: &Options,
) -> anyhow::Result<(f64, f64)> {
    let fresh = ground.fresh(place).await?;
    let chain = Chain::open_idle(fresh.choice.clone()).await?;
    let resource =
        Resource { name: "waiting.bpmn".into(), content: WAITING.as_bytes().to_vec().into() };
    chain.orloj.deploy(Deploy { resources: vec![resource], ..Deploy::default() }).await?;
    for process in ["timer", "worker"] {
        let start = StartInstance::latest(process).with(Document::new().with("order", 4711));
        chain.orloj.start(start).await?;
    }
    chain.close().await?;
    fill::copy(&fresh, place, waiting / 2).await?;

    let before = ground.floor(place, options.floor_s).await?;
    let chain = Chain::open(fresh.choice.clone()).await?;
    chain.keep_in_flight(options.in_flight);
    tokio::time::sleep(Duration::from_secs(options.warm_up_s)).await;
    let steps = chain.steps_per_s(Duration::from_secs(options.counted_s)).await;
    chain.close().await?;
    let after = ground.floor(place, options.floor_s).await?;
    Ok((steps, f64::midpoint(before, after)))
}
