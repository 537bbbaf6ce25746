//! What is counted, under the names Zeebe's boards look for.
//!
//! One process is gateway and broker at once, so the same fact appears under both names.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::delivery::Tally;

/// The client had gone when its job came, in Zeebe's words.
const GONE: &str = "NOT_FOUND";
const CLIENTS_PER_STREAM: [f64; 8] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];

#[derive(Clone)]
pub(crate) struct Metrics {
    pushed: [Counter; 2],
    lost: [Counter; 4],
    clients: Gauge,
    streams: [Gauge; 2],
    clients_per_stream: Histogram,
    polls: Family<Vec<(&'static str, String)>, Gauge>,
    live: Arc<Mutex<Live>>,
}

/// What is open now. Both are named by clients, so neither keeps what is over.
#[derive(Default)]
struct Live {
    /// How many clients each stream has.
    streams: HashMap<StreamId, i64>,
    /// How many polls wait for each type.
    polls: HashMap<Arc<str>, i64>,
}

/// Streams that ask for the same count as one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StreamId {
    pub job_type: Arc<str>,
    pub worker: Arc<str>,
    pub timeout_ms: i64,
    /// Sorted.
    pub fetch_variables: Vec<Arc<str>>,
    pub tenant_filter: i32,
}

impl Metrics {
    pub fn registered(registry: &mut Registry) -> Self {
        let waiting = Family::default();
        let text = "Polls that wait for jobs";
        registry.register("zeebe_long_polling_queued_current", text, Family::clone(&waiting));

        let registry =
            registry.sub_registry_with_label(("physicalTenant".into(), "default".into()));
        let mut counter = |name: &str, help: &str| {
            let counter = Counter::default();
            registry.register(name, help, Counter::clone(&counter));
            counter
        };
        let broker_pushed = counter("zeebe_broker_jobs_pushed_count", "Jobs pushed");
        let text = "Jobs that could not be pushed and became ready again";
        let broker_lost = counter("zeebe_broker_jobs_push_fail_count", text);

        let mut by_label = |name: &str, help: &str, label: &'static str| {
            let family = Family::<[(&'static str, &'static str); 1], Counter>::default();
            registry.register(name, help, family.clone());
            move |value| family.get_or_create_owned(&[(label, value)])
        };
        let text = "Jobs pushed to clients, by how it went";
        let pushes = by_label("zeebe_gateway_job_stream_push", text, "status");
        let text = "Attempts to push a job that failed, by reason";
        let tries = by_label("zeebe_gateway_job_stream_push_fail_try", text, "code")(GONE);
        let broker_tries = by_label("zeebe_broker_jobs_push_fail_try_count", text, "code")(GONE);

        let mut gauge = |name: &str, help: &str| {
            let gauge = Gauge::default();
            registry.register(name, help, Gauge::clone(&gauge));
            gauge
        };
        let text = "Nodes that push to this gateway's streams";
        gauge("zeebe_gateway_job_stream_servers", text).set(1);
        let text = "Job streams that clients have open";
        let clients = gauge("zeebe_gateway_job_stream_clients", text);
        let text = "Job streams, those that ask for the same counted as one";
        let streams = [
            gauge("zeebe_gateway_job_stream_streams", text),
            gauge("zeebe_broker_open_job_stream_count", text),
        ];

        let clients_per_stream = Histogram::new(CLIENTS_PER_STREAM);
        let text = "Clients of one stream, whenever one joins or leaves";
        let name = "zeebe_gateway_job_stream_aggregated_stream_clients";
        registry.register(name, text, clients_per_stream.clone());

        Self {
            pushed: [pushes("success"), broker_pushed],
            lost: [pushes("failure"), broker_lost, tries, broker_tries],
            clients,
            streams,
            clients_per_stream,
            polls: waiting,
            live: Arc::default(),
        }
    }

    /// Counts a poll as waiting until the answer is dropped.
    pub fn poll_waits(&self, job_type: &Arc<str>) -> PollWaits {
        self.change_polls(job_type, 1);
        PollWaits { metrics: self.clone(), job_type: job_type.clone() }
    }

    /// Counts a stream as open until the answer is dropped.
    pub fn stream_opens(&self, stream: StreamId) -> StreamOpen {
        self.change_streams(&stream, 1);
        StreamOpen { metrics: self.clone(), stream }
    }

    fn change_polls(&self, job_type: &Arc<str>, by: i64) {
        let labels = vec![("type", job_type.as_ref().to_owned()), ("protocol", "grpc".to_owned())];
        let mut live = self.live();
        let waiting = live.polls.entry(job_type.clone()).or_default();
        *waiting += by;
        match *waiting {
            0 => {
                live.polls.remove(job_type);
                self.polls.remove(&labels);
            }
            waiting => drop(self.polls.get_or_create(&labels).set(waiting)),
        }
    }

    fn change_streams(&self, stream: &StreamId, by: i64) {
        let mut live = self.live();
        let clients = live.streams.entry(stream.clone()).or_default();
        *clients += by;
        match *clients {
            0 => drop(live.streams.remove(stream)),
            clients => self.clients_per_stream.observe(clients as f64),
        }
        self.clients.inc_by(by);
        for streams in &self.streams {
            streams.set(live.streams.len() as i64);
        }
    }

    fn live(&self) -> MutexGuard<'_, Live> {
        // Counts only; a panic elsewhere leaves nothing half done that matters.
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) struct PollWaits {
    metrics: Metrics,
    job_type: Arc<str>,
}

impl Drop for PollWaits {
    fn drop(&mut self) {
        self.metrics.change_polls(&self.job_type, -1);
    }
}

pub(crate) struct StreamOpen {
    metrics: Metrics,
    stream: StreamId,
}

impl Drop for StreamOpen {
    fn drop(&mut self) {
        self.metrics.change_streams(&self.stream, -1);
    }
}

impl Tally for StreamOpen {
    fn delivered(&self, jobs: usize) {
        for counter in &self.metrics.pushed {
            counter.inc_by(jobs as u64);
        }
    }

    fn lost(&self, jobs: usize) {
        for counter in &self.metrics.lost {
            counter.inc_by(jobs as u64);
        }
    }
}

/// Jobs that were asked for are not pushed.
pub(crate) struct Polled;

impl Tally for Polled {
    fn delivered(&self, _jobs: usize) {}
    fn lost(&self, _jobs: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(registry: &Registry) -> String {
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, registry).unwrap();
        text
    }

    fn stream(worker: &str) -> StreamId {
        StreamId {
            job_type: "charge".into(),
            worker: worker.into(),
            timeout_ms: 1,
            fetch_variables: Vec::new(),
            tenant_filter: 0,
        }
    }

    #[test]
    fn streams_that_ask_for_the_same_count_as_one() {
        let mut registry = Registry::default();
        let metrics = Metrics::registered(&mut registry);
        let one = metrics.stream_opens(stream("anna"));
        let two = metrics.stream_opens(stream("anna"));
        let three = metrics.stream_opens(stream("ben"));
        let open = text(&registry);
        assert!(open.contains("job_stream_clients{physicalTenant=\"default\"} 3"), "{open}");
        assert!(open.contains("job_stream_streams{physicalTenant=\"default\"} 2"), "{open}");
        one.delivered(5);
        two.lost(2);
        drop((one, two, three));
        let closed = text(&registry);
        for line in [
            "zeebe_gateway_job_stream_clients{physicalTenant=\"default\"} 0",
            "zeebe_broker_open_job_stream_count{physicalTenant=\"default\"} 0",
            "zeebe_broker_jobs_pushed_count_total{physicalTenant=\"default\"} 5",
            "zeebe_broker_jobs_push_fail_count_total{physicalTenant=\"default\"} 2",
            "zeebe_gateway_job_stream_push_total{physicalTenant=\"default\",status=\"success\"} 5",
            "zeebe_broker_jobs_push_fail_try_count_total{physicalTenant=\"default\",code=\"NOT_FOUND\"} 2",
        ] {
            assert!(closed.contains(line), "{line} in\n{closed}");
        }
    }

    #[test]
    fn a_type_nobody_waits_for_is_forgotten() {
        let mut registry = Registry::default();
        let metrics = Metrics::registered(&mut registry);
        let job_type: Arc<str> = "charge".into();
        let (one, two) = (metrics.poll_waits(&job_type), metrics.poll_waits(&job_type));
        let line = "zeebe_long_polling_queued_current{type=\"charge\",protocol=\"grpc\"}";
        assert!(text(&registry).contains(&format!("{line} 2")), "{}", text(&registry));
        drop(one);
        assert!(text(&registry).contains(&format!("{line} 1")));
        drop(two);
        assert!(!text(&registry).contains(line));
    }
}
