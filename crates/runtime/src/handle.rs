//! The embeddable handle. Cheap to clone; every method answers after the disk has it.

#![expect(clippy::disallowed_methods, reason = "the handle waits for its callers")]

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use orloj_executor::TakerId;
use orloj_interpreter::{AdHocResult, Corrections, JobResult, UserTaskResult};
use orloj_settings::Settings;
use orloj_store::{ExtendLock, Extended, Store};
use orloj_types::{
    DefinitionKey, Document, ElementInstanceKey, EngineName, IncidentKey, InstanceKey, JobKey,
    TenantId, Timestamp, UserTaskKey,
};
use prometheus_client::registry::Registry;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{Semaphore, SemaphorePermit, mpsc, oneshot};

use crate::api::{
    ActivateJobs, ActivatedJob, Error, Extend, FailJob, Finished, Missing, StartInstance, Started,
    StreamJobs, ThrowError, Which,
};
use crate::builder::Builder;
use crate::calls::Programs;
use crate::clock::Clock;
use crate::decisions::Decisions;
use crate::definition::Definition;
use crate::definitions::Definitions;
use crate::driver::Input;
use crate::metrics::Metrics;
use crate::node::{Event, JobCommand, Reply, Request, RequestId, StartRequest, store_error};
use crate::reading::Reading;

/// A running engine.
#[derive(Clone)]
pub struct Orloj {
    pub(crate) inner: Arc<Inner>,
    /// Who gives orders by this handle, for the log of operations.
    pub(crate) user: Option<Arc<str>>,
}

pub(crate) struct Inner {
    pub store: Arc<dyn Store>,
    pub engine: EngineName,
    pub definitions: Arc<Definitions>,
    pub decisions: Arc<Decisions>,
    pub programs: Arc<Programs>,
    pub reading: Arc<Reading>,
    pub settings: Arc<orloj_settings::Settings>,
    pub zone: jiff::tz::TimeZone,
    pub inputs: UnboundedSender<Input>,
    pub clock: Clock,
    pub is_ready: Arc<AtomicBool>,
    pub is_executor_active: Arc<AtomicBool>,
    pub metrics: Metrics,
    pub registry: Mutex<Registry>,
    pub next_stream: AtomicU64,
    pub next_request: AtomicU64,
    /// Requests under way; beyond it new ones are refused instead of piling up.
    pub requests: Semaphore,
    pub stopped: tokio::sync::Mutex<Option<oneshot::Receiver<()>>>,
    /// The node's present session.
    pub session: Arc<AtomicI64>,
    /// Whose counters the node's are, if the settings do not say.
    pub node_name: Arc<str>,
}

impl Drop for Inner {
    /// The last handle is gone: the node finishes what runs and leaves.
    fn drop(&mut self) {
        // It may have stopped already.
        let _ = self.inputs.send(Input::Event(Event::Drain));
    }
}

/// Jobs pushed to one worker. Dropping it closes the stream; jobs not yet taken become ready again.
pub struct JobStream {
    id: TakerId,
    jobs: mpsc::UnboundedReceiver<ActivatedJob>,
    inputs: UnboundedSender<Input>,
    taken: u32,
}

impl JobStream {
    /// `None`: the engine is shutting down.
    pub async fn next(&mut self) -> Option<ActivatedJob> {
        if self.jobs.is_empty() {
            self.give_credit();
        }
        let job = self.jobs.recv().await?;
        self.taken += 1;
        Some(job)
    }

    /// For callers that poll by hand.
    pub fn poll_next(
        &mut self,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<ActivatedJob>> {
        if self.jobs.is_empty() {
            self.give_credit();
        }
        let job = std::task::ready!(self.jobs.poll_recv(cx));
        self.taken += u32::from(job.is_some());
        std::task::Poll::Ready(job)
    }

    /// The engine learns in one go how many jobs were taken since it last heard.
    fn give_credit(&mut self) {
        let jobs = std::mem::take(&mut self.taken);
        if jobs > 0 {
            let event = Event::StreamCredit { id: self.id, jobs };
            // The engine has stopped.
            let _ = self.inputs.send(Input::Event(event));
        }
    }
}

impl Drop for JobStream {
    fn drop(&mut self) {
        self.jobs.close();
        let mut undelivered = Vec::new();
        while let Ok(job) = self.jobs.try_recv() {
            undelivered.push((job.key, job.attempt));
        }
        let _ = self.inputs.send(Input::Event(Event::StreamClosed { id: self.id }));
        if !undelivered.is_empty() {
            let event = Event::Undelivered { jobs: undelivered };
            let _ = self.inputs.send(Input::Event(event));
        }
    }
}

impl Orloj {
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) fn of(inner: Arc<Inner>) -> Self {
        Self { inner, user: None }
    }

    /// A handle whose orders the log of operations ascribes to this user.
    pub fn as_user(&self, name: &str) -> Self {
        Self { inner: self.inner.clone(), user: Some(name.into()) }
    }

    /// Every knob of the engine, as it was built.
    pub fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    // ---- commands

    pub async fn start(&self, start: StartInstance) -> Result<Started, Error> {
        let (definition, request) = self.start_request(start, false).await?;
        match self.request(Request::Start(request)).await? {
            Reply::Started { instance } => Ok(started(&definition, instance)),
            other => Err(unexpected(&other)),
        }
    }

    /// Starts and waits for the end. `Error::Deadline` leaves the instance running.
    pub async fn start_and_wait(
        &self,
        start: StartInstance,
        timeout: Duration,
    ) -> Result<Finished, Error> {
        let (definition, request) = self.start_request(start, true).await?;
        let _permit = self.permit()?;
        let mut waiting = self.send(Request::Start(request))?;
        let Ok(answered) = tokio::time::timeout(timeout, &mut waiting.answer).await else {
            return Err(Error::Deadline);
        };
        match answered.map_err(|_| Error::ShuttingDown)?? {
            Reply::Finished { instance, completed, variables } => {
                Ok(Finished { started: started(&definition, instance), completed, variables })
            }
            other => Err(unexpected(&other)),
        }
    }

    async fn start_request(
        &self,
        start: StartInstance,
        await_end: bool,
    ) -> Result<(Arc<Definition>, StartRequest), Error> {
        check_texts([start.business_key.as_deref().unwrap_or_default()], &start.variables)?;
        if let Which::Definition(key) = start.which {
            self.check_not_deleted(key).await?;
        }
        let definition = self.inner.definitions.find(&start.which, &start.tenant).await?;
        let request = StartRequest {
            definition: definition.clone(),
            business_key: start.business_key,
            variables: start.variables,
            at: None,
            before: start.before,
            tags: start.tags.into(),
            stops_after: start.stops_after,
            await_end,
        };
        Ok((definition, request))
    }

    /// Instances of a deleted definition go on; so it stays in caches, and only its row tells.
    async fn check_not_deleted(&self, key: DefinitionKey) -> Result<(), Error> {
        let row = self.inner.store.definition(key).await.map_err(|e| store_error(&e))?;
        match row {
            Some(row) if row.is_deleted => Err(Error::Missing(Missing::Definition(key.raw()))),
            _ => Ok(()),
        }
    }

    pub async fn cancel(&self, instance: InstanceKey) -> Result<(), Error> {
        self.done(Request::Cancel { instance }).await
    }

    /// Gives a key for the operation.
    pub async fn set_variables(
        &self,
        scope: ElementInstanceKey,
        variables: Document,
        local: bool,
    ) -> Result<i64, Error> {
        check_texts([], &variables)?;
        match self.request(Request::Variables { scope, variables, local }).await? {
            Reply::Keys(keys) => Ok(keys.first().copied().unwrap_or_default()),
            other => Err(unexpected(&other)),
        }
    }

    pub async fn complete_job(&self, job: JobKey, variables: Document) -> Result<(), Error> {
        self.complete_job_with(job, variables, JobResult::None).await
    }

    /// As [`Orloj::complete_job`], for jobs that ask for more than variables: listeners of user
    /// tasks and ad-hoc subprocesses.
    pub async fn complete_job_with(
        &self,
        job: JobKey,
        variables: Document,
        result: JobResult,
    ) -> Result<(), Error> {
        check_texts([], &variables)?;
        check_result(&result)?;
        let result = Box::new(result);
        self.done(Request::Job { job, command: JobCommand::Complete { variables, result } }).await
    }

    pub async fn fail_job(&self, fail: FailJob) -> Result<(), Error> {
        let FailJob { job, retries, message, details, back_off_ms, variables } = fail;
        check_texts([&*message, details.as_deref().unwrap_or_default()], &variables)?;
        let command = JobCommand::Fail { retries, message, details, back_off_ms, variables };
        self.done(Request::Job { job, command }).await
    }

    pub async fn throw_error(&self, throw: ThrowError) -> Result<(), Error> {
        let ThrowError { job, code, message, variables } = throw;
        check_texts([&*code, &*message], &variables)?;
        let command = JobCommand::Throw { code, message, variables };
        self.done(Request::Job { job, command }).await
    }

    /// No worker can be given the job as it is: it keeps its retries and waits with an incident.
    pub async fn hold_back_job(&self, job: JobKey, message: Arc<str>) -> Result<(), Error> {
        check_texts([&*message], &Document::new())?;
        self.done(Request::Job { job, command: JobCommand::HoldBack { message } }).await
    }

    pub async fn update_retries(&self, job: JobKey, retries: i32) -> Result<(), Error> {
        self.done(Request::Job { job, command: JobCommand::UpdateRetries { retries } }).await
    }

    pub async fn extend_lock(&self, extend: Extend) -> Result<(), Error> {
        let now = self.now();
        let until = now.plus_ms(extend.timeout_ms);
        let extended = self.inner.store.extend_lock(ExtendLock { job: extend.job, until, now });
        match extended.await.map_err(|e| store_error(&e))? {
            Extended::Done => {
                let event = Event::LockExtended { until };
                self.inner.inputs.send(Input::Event(event)).map_err(|_| Error::ShuttingDown)
            }
            Extended::NotLocked => Err(Error::NotLocked(extend.job)),
            Extended::NotFound => Err(orloj_interpreter::Rejection::JobNotFound(extend.job).into()),
        }
    }

    pub async fn resolve_incident(&self, incident: IncidentKey) -> Result<(), Error> {
        self.done(Request::Incident { incident }).await
    }

    pub async fn complete_user_task(
        &self,
        task: UserTaskKey,
        variables: Document,
    ) -> Result<(), Error> {
        check_texts([], &variables)?;
        self.done(Request::UserTask { task, variables }).await
    }

    // ---- workers

    /// At most `jobs_max`; none when nothing came in time. Dropping the future gives jobs back.
    pub async fn activate_jobs(&self, activate: ActivateJobs) -> Result<Vec<ActivatedJob>, Error> {
        check_texts([&*activate.job_type, &*activate.worker], &Document::new())?;
        let mut waiting = self.send(Request::Activate(activate))?;
        match (&mut waiting.answer).await.map_err(|_| Error::ShuttingDown)?? {
            Reply::Jobs(jobs) => Ok(jobs),
            other => Err(unexpected(&other)),
        }
    }

    /// Jobs that could not be delivered to the client become ready again, at no cost.
    pub async fn give_back(&self, jobs: Vec<(JobKey, i32)>) {
        // Without an engine their locks run out.
        let _ = self.inner.inputs.send(Input::Event(Event::Undelivered { jobs }));
    }

    pub async fn stream_jobs(&self, stream: StreamJobs) -> Result<JobStream, Error> {
        check_texts([&*stream.job_type, &*stream.worker], &Document::new())?;
        let id = TakerId(self.inner.next_stream.fetch_add(1, Ordering::Relaxed));
        let (push, jobs) = mpsc::unbounded_channel();
        let open = Input::Open { id, stream, jobs: push };
        self.inner.inputs.send(open).map_err(|_| Error::ShuttingDown)?;
        Ok(JobStream { id, jobs, inputs: self.inner.inputs.clone(), taken: 0 })
    }

    // ---- time and life

    /// True once commands are taken, false before and after.
    pub fn is_ready(&self) -> bool {
        self.inner.is_ready.load(Ordering::SeqCst)
    }

    pub fn now(&self) -> Timestamp {
        self.inner.clock.now()
    }

    /// Moves a pinned clock. An error when the clock is not pinned.
    pub fn advance(&self, by: Duration) -> Result<(), Error> {
        if !self.inner.clock.advance(by) {
            return Err(Error::Invalid("the clock is not pinned".into()));
        }
        match self.inner.inputs.is_closed() {
            true => Err(Error::ShuttingDown),
            false => Ok(()),
        }
    }

    /// Until nothing is queued, running or due at this moment.
    pub async fn settle(&self) {
        // An engine that is shutting down is as quiet as it gets.
        let _ = self.request(Request::Settle).await;
    }

    /// Stops taking commands, finishes what runs, gives the rest back. Idempotent.
    pub async fn shutdown(&self) {
        let _ = self.inner.inputs.send(Input::Event(Event::Drain));
        let mut stopped = self.inner.stopped.lock().await;
        if let Some(stopped) = stopped.take() {
            // The thread is gone either way.
            let _ = stopped.await;
            // Without a store they are lost with the process.
            let _ = self.meters().flush().await;
            let _ = self.inner.store.close().await;
        }
    }

    /// What this node has counted so far.
    pub fn metrics(&self) -> &Metrics {
        &self.inner.metrics
    }

    /// In the text format of OpenMetrics.
    pub fn metrics_text(&self) -> String {
        let registry = self.inner.registry.lock().unwrap_or_else(|e| e.into_inner());
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = prometheus_client::encoding::text::encode(&mut text, &registry);
        text
    }

    /// So that faces can add theirs before serving.
    pub fn with_metrics(&self, add: impl FnOnce(&mut Registry)) {
        add(&mut self.inner.registry.lock().unwrap_or_else(|e| e.into_inner()));
    }

    // ---- plumbing

    pub(crate) async fn done(&self, request: Request) -> Result<(), Error> {
        match self.request(request).await? {
            Reply::Done => Ok(()),
            other => Err(unexpected(&other)),
        }
    }

    pub(crate) async fn request(&self, request: Request) -> Result<Reply, Error> {
        let _permit = self.permit()?;
        let mut waiting = self.send(request)?;
        (&mut waiting.answer).await.map_err(|_| Error::ShuttingDown)?
    }

    /// The right to have a request under way.
    fn permit(&self) -> Result<SemaphorePermit<'_>, Error> {
        let permit = self.inner.requests.try_acquire();
        permit.map_err(|_| Error::Overloaded("too many requests under way".into()))
    }

    fn send(&self, request: Request) -> Result<Waiting<'_>, Error> {
        let (sender, answer) = oneshot::channel();
        let id = RequestId(self.inner.next_request.fetch_add(1, Ordering::Relaxed));
        let input = Input::Request { id, request, answer: sender };
        self.inner.inputs.send(input).map_err(|_| Error::ShuttingDown)?;
        Ok(Waiting { id, answer, inputs: &self.inner.inputs })
    }
}

/// A caller that waits. One that goes away before its answer says so, and a poll gives its place
/// to the next.
struct Waiting<'a> {
    id: RequestId,
    answer: oneshot::Receiver<Result<Reply, Error>>,
    inputs: &'a UnboundedSender<Input>,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if self.answer.is_terminated() {
            return;
        }
        self.answer.close();
        // The answer may have come while the caller went; its jobs go back.
        let event = match self.answer.try_recv() {
            Ok(Ok(Reply::Jobs(jobs))) => {
                Event::Undelivered { jobs: jobs.iter().map(|job| (job.key, job.attempt)).collect() }
            }
            _ => Event::RequestDropped { id: self.id },
        };
        // Without an engine there is nobody to tell.
        let _ = self.inputs.send(Input::Event(event));
    }
}

pub(crate) fn started(definition: &Definition, instance: InstanceKey) -> Started {
    Started {
        instance,
        definition: definition.key,
        process_id: definition.process.id.clone(),
        version: definition.version,
        tenant: definition.tenant.clone(),
    }
}

/// Texts and variables of a worker's result.
fn check_result(result: &JobResult) -> Result<(), Error> {
    match result {
        JobResult::None => Ok(()),
        JobResult::UserTask(UserTaskResult { corrections, .. }) => {
            let Corrections { assignee, due_date, follow_up_date, .. } = corrections;
            let texts = [assignee, due_date, follow_up_date].into_iter().flatten();
            let lists = [&corrections.candidate_users, &corrections.candidate_groups];
            let names = lists.into_iter().flatten().flatten();
            let nothing = Document::new();
            texts.chain(names).try_for_each(|text| check_texts([&**text], &nothing))
        }
        JobResult::AdHoc(AdHocResult { activate, .. }) => {
            activate.iter().try_for_each(|(_, variables)| check_texts([], variables))
        }
    }
}

/// What no store could hold is refused before it reaches one.
pub(crate) fn check_texts<const N: usize>(
    texts: [&str; N],
    variables: &Document,
) -> Result<(), Error> {
    if let Some(long) = texts.iter().find(|text| text.len() > TEXT_BYTES_MAX) {
        let excerpt: String = long.chars().take(40).collect();
        return Err(Error::Invalid(format!(
            "a text of {} bytes is longer than {TEXT_BYTES_MAX}: {excerpt}…",
            long.len()
        )));
    }
    if texts.iter().any(|text| text.contains('\0')) || !variables.is_storable() {
        return Err(Error::Invalid("a text contains the character U+0000".into()));
    }
    // The engine's own rows begin with it.
    if texts.iter().any(|text| text.starts_with('\u{1}')) {
        return Err(Error::Invalid("a text begins with the character U+0001".into()));
    }
    Ok(())
}

/// A tenant that something is given.
pub(crate) fn check_tenant(tenant: &TenantId) -> Result<(), Error> {
    check_texts([tenant.as_str()], &Document::new())?;
    if tenant.chars().count() > TENANT_CHARS_MAX {
        return Err(Error::Invalid(format!("a tenant has at most {TENANT_CHARS_MAX} characters")));
    }
    Ok(())
}

/// As an id of a model, beside which it stands in one entry of an index.
const TENANT_CHARS_MAX: usize = 255;

/// Longest name or message a caller may send; messages are cut much shorter when stored.
const TEXT_BYTES_MAX: usize = 1 << 20;

pub(crate) fn unexpected(reply: &Reply) -> Error {
    Error::Internal(format!("unexpected reply {reply:?}"))
}
