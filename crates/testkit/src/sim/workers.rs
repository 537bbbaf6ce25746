//! Workers: they stream or poll, and do with their jobs what workers do.

use std::sync::Arc;

use orloj::node::{Event, JobCommand, Request, RequestId};
use orloj::{ActivateJobs, ActivatedJob, LongPoll, StreamJobs};
use orloj_executor::TakerId;
use orloj_store::{ExtendLock, Extended};
use orloj_types::{Document, JobKey};

use super::Violation;
use super::happening::{Answered, Ask, Happening, HowDone, Place};
use super::library::JOB_TYPES;
use super::world::World;

const LOCK_MS: i64 = 1_500;
const POLL_GIVEN_UP_US: i64 = 6_000_000;

pub(crate) struct SimWorker {
    name: Arc<str>,
    job_type: &'static str,
    is_stream: bool,
    /// Where its stream is open.
    stream: Option<(Place, TakerId)>,
    poll: Option<RequestId>,
}

impl SimWorker {
    /// One that streams and one that polls for each type.
    pub fn all() -> Vec<Self> {
        let of = |job_type: &'static str, is_stream: bool| Self {
            name: format!("{}-{job_type}", if is_stream { "stream" } else { "poll" }).into(),
            job_type,
            is_stream,
            stream: None,
            poll: None,
        };
        JOB_TYPES.iter().flat_map(|job_type| [of(job_type, true), of(job_type, false)]).collect()
    }

    pub fn first_act(&self, worker: usize) -> Happening {
        match self.is_stream {
            true => Happening::WorkerOpens { worker },
            false => Happening::WorkerPolls { worker },
        }
    }
}

impl World<'_> {
    pub(crate) fn worker_opens(&mut self, worker: usize) {
        if self.workers[worker].stream.is_some() {
            return;
        }
        let Some(to) = self.some_node() else {
            return self.after_us(100_000, 500_000, Happening::WorkerOpens { worker });
        };
        let id = TakerId(self.next_stream);
        self.next_stream += 1;
        let own = &mut self.workers[worker];
        own.stream = Some((to, id));
        let stream = StreamJobs {
            job_type: own.job_type.into(),
            worker: own.name.clone(),
            timeout_ms: LOCK_MS,
            fetch_variables: Vec::new(),
            credit: u32::try_from(self.random.between(1, 3)).unwrap_or(1),
        };
        self.nodes[to.node].streams.insert(id, worker);
        let delay = self.delay_us();
        let event = Box::new(Event::StreamOpened { id, stream });
        self.add(self.now_us + delay, Happening::Event { to, event });
        if !self.is_quiet && self.random.chance(300) {
            self.after_us(200_000, 3_000_000, Happening::WorkerCloses { worker });
        }
    }

    /// The worker goes away, and comes back later.
    pub(crate) fn worker_closes(&mut self, worker: usize) {
        if self.is_quiet {
            return;
        }
        let Some((to, id)) = self.workers[worker].stream.take() else { return };
        self.nodes[to.node].streams.remove(&id);
        let delay = self.delay_us();
        let event = Box::new(Event::StreamClosed { id });
        self.add(self.now_us + delay, Happening::Event { to, event });
        self.after_us(10_000, 1_000_000, Happening::WorkerOpens { worker });
    }

    /// The node of a worker's stream is gone.
    pub(crate) fn worker_lost(&mut self, worker: usize) {
        self.workers[worker].stream = None;
        self.after_us(1_000, 300_000, Happening::WorkerOpens { worker });
    }

    pub(crate) fn stream_ended(&mut self, of: Place, stream: TakerId) {
        if let Some(worker) = self.nodes[of.node].streams.remove(&stream) {
            self.worker_lost(worker);
        }
    }

    /// A node pushes a job into a stream.
    pub(crate) fn pushed(
        &mut self,
        of: Place,
        stream: TakerId,
        job: ActivatedJob,
    ) -> Result<(), Violation> {
        self.checker.delivered(&self.store, &job)?;
        self.marks.hit("job pushed");
        match self.nodes[of.node].streams.get(&stream) {
            Some(&worker) => {
                let delay = self.delay_us();
                let job = Box::new(job);
                self.add(self.now_us + delay, Happening::WorkerGets { worker, stream, job });
            }
            None => self.undelivered(of, &job),
        }
        Ok(())
    }

    fn undelivered(&mut self, to: Place, job: &ActivatedJob) {
        self.marks.hit("job undelivered");
        let event = Event::Undelivered { jobs: vec![(job.key, job.attempt)] };
        self.add(self.now_us, Happening::Event { to, event: Box::new(event) });
    }

    pub(crate) fn worker_gets(&mut self, worker: usize, stream: TakerId, job: &ActivatedJob) {
        let Some((place, _)) = self.workers[worker].stream.filter(|(_, id)| *id == stream) else {
            // The stream was closed while the job was in it: its node gives the job back, if it
            // lives. Sometimes the job is just lost, and its lock runs out.
            if let (Some(to), true) = (self.some_node(), self.random.chance(700)) {
                self.undelivered(to, job);
            }
            return;
        };
        let event = Box::new(Event::StreamCredit { id: stream, jobs: 1 });
        let delay = self.delay_us();
        self.add(self.now_us + delay, Happening::Event { to: place, event });
        self.work(job);
    }

    pub(crate) fn worker_polls(&mut self, worker: usize) {
        let Some(to) = self.some_node() else {
            return self.after_us(100_000, 500_000, Happening::WorkerPolls { worker });
        };
        let own = &self.workers[worker];
        let activate = ActivateJobs {
            job_type: own.job_type.into(),
            worker: own.name.clone(),
            timeout_ms: LOCK_MS,
            jobs_max: u32::try_from(self.random.between(1, 3)).unwrap_or(1),
            fetch_variables: Vec::new(),
            long_poll: match self.random.chance(400) {
                true => LongPoll::No,
                false => LongPoll::UpToMs(self.random.between(100, 2_000)),
            },
            bytes_max: if self.random.chance(200) { 10 } else { 1 << 20 },
        };
        let id = self.ask(to, Ask::Poll { worker }, Request::Activate(activate));
        self.workers[worker].poll = Some(id);
        let patience = match !self.is_quiet && self.random.chance(100) {
            true => self.random.between(1_000, 1_500_000),
            false => POLL_GIVEN_UP_US,
        };
        self.add(self.now_us + patience, Happening::PollGivenUp { worker, request: id });
    }

    pub(crate) fn polled(
        &mut self,
        of: Place,
        worker: usize,
        id: RequestId,
        jobs: Vec<Arc<ActivatedJob>>,
    ) -> Result<(), Violation> {
        for job in &jobs {
            self.checker.delivered(&self.store, job)?;
            self.marks.hit("job polled");
        }
        if self.workers[worker].poll != Some(id) {
            // Its client is gone: the driver gives the jobs back.
            for job in &jobs {
                self.undelivered(of, job);
            }
            return Ok(());
        }
        self.workers[worker].poll = None;
        for job in &jobs {
            self.work(job);
        }
        self.after_us(1_000, 300_000, Happening::WorkerPolls { worker });
        Ok(())
    }

    pub(crate) fn poll_given_up(&mut self, worker: usize, request: RequestId) {
        if self.workers[worker].poll != Some(request) {
            return;
        }
        self.workers[worker].poll = None;
        if let Some(asked) = self.asked.get(&request).filter(|a| a.answer == Answered::NotYet) {
            let to = asked.place;
            let event = Box::new(Event::RequestDropped { id: request });
            self.add(self.now_us, Happening::Event { to, event });
        }
        self.after_us(1_000, 100_000, Happening::WorkerPolls { worker });
    }

    /// The node that was polled is gone.
    pub(crate) fn abandon_polls(&mut self, place: Place) {
        for worker in 0..self.workers.len() {
            let Some(id) = self.workers[worker].poll else { continue };
            if self.asked.get(&id).is_some_and(|asked| asked.place == place) {
                self.workers[worker].poll = None;
                self.after_us(1_000, 300_000, Happening::WorkerPolls { worker });
            }
        }
    }

    /// Decides what becomes of a job.
    fn work(&mut self, job: &ActivatedJob) {
        let (key, retries) = (job.key, job.retries);
        let act = |world: &mut Self, low: i64, high: i64, how: HowDone| {
            world.after_us(low, high, Happening::WorkerActs { job: key, retries, how });
        };
        if self.is_quiet || !self.random.chance(self.plan.faults.misbehaviour) {
            return act(self, 100, 200_000, HowDone::Complete);
        }
        self.marks.hit("worker misbehaves");
        let lock_us = LOCK_MS * 1_000;
        let library = self.library;
        let throws =
            |code: &'static str| match library.may_worker_throw(job.definition, &job.element, code)
            {
                true => HowDone::Throw { code },
                false => HowDone::Complete,
            };
        match self.random.below(8) {
            // Twice.
            0 => {
                act(self, 100, 50_000, HowDone::Complete);
                act(self, 100, 50_000, HowDone::Complete);
            }
            // Late.
            1 => act(self, lock_us, 2 * lock_us, HowDone::Complete),
            2 => act(self, 100, 200_000, HowDone::Fail { back_off_ms: 0 }),
            3 => act(self, 100, 200_000, HowDone::Fail { back_off_ms: 700 }),
            4 => act(self, 100, 200_000, throws("POOR")),
            5 => act(self, 100, 200_000, throws("UNHEARD")),
            6 => {
                act(self, 1_000, lock_us, HowDone::Extend);
                act(self, lock_us, 2 * lock_us, HowDone::Complete);
            }
            // Never.
            _ => {}
        }
    }

    pub(crate) fn worker_acts(&mut self, job: JobKey, retries: i32, how: HowDone) {
        let Some(to) = self.some_node() else { return };
        let (ask, command) = match how {
            HowDone::Complete => {
                let variables = Document::new().with("worked", true);
                (Ask::Complete { job }, JobCommand::Complete { variables, result: Box::default() })
            }
            HowDone::Fail { back_off_ms } => {
                let command = JobCommand::Fail {
                    retries: (retries - 1).max(0),
                    message: "no line".into(),
                    details: None,
                    back_off_ms,
                    variables: Document::new().with("failed", true),
                };
                (Ask::Fail { job }, command)
            }
            HowDone::Throw { code } => {
                let command = JobCommand::Throw {
                    code: code.into(),
                    message: "no money".into(),
                    variables: Document::new().with("thrown", true),
                };
                (Ask::Throw { job }, command)
            }
            HowDone::Extend => return self.extend(to, job),
        };
        self.ask(to, ask, Request::Job { job, command });
    }

    /// As the handle does it: past the node, which is told afterwards.
    fn extend(&mut self, to: Place, job: JobKey) {
        let now = self.clock_of(to.node);
        let until = now.plus_ms(LOCK_MS);
        if self.store.extend_lock(ExtendLock { job, until, now }) == Ok(Extended::Done) {
            self.marks.hit("lock extended");
            let event = Box::new(Event::LockExtended { until });
            self.add(self.now_us, Happening::Event { to, event });
        }
    }
}
