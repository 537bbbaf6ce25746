//! An instance and its rows must agree, and each of its tokens must wait for something.

use orloj_model::{ElementKind, Process};
use orloj_store::format::{ElementEntry, IncidentEntry, JobEntry, RecordMessage};
use orloj_store::{JobKind, JobRow, JobState};
use orloj_types::{
    ElementInstanceKey, IncidentKey, InstanceKey, JobKey, SubscriptionKey, UserTaskKey,
};

use super::{Checker, Violation};
use crate::sim::Library;
use crate::sim_store::Core;

impl Checker {
    pub(super) fn instance(
        &mut self,
        store: &Core,
        library: &Library,
        key: InstanceKey,
    ) -> Result<(), Violation> {
        let wrong = |message: String| Violation::new("I1", format!("instance {key}: {message}"));
        let Some(row) = store.instances.get(&key) else {
            return no_rows(store, key).map_err(wrong);
        };
        let record = store.record_of(row).map_err(|error| wrong(error.to_string()))?;
        let definition =
            library.get(row.definition).ok_or_else(|| wrong("no definition".into()))?;
        check_rows(store, key, &record).map_err(wrong)?;
        check_exclusive(store, key, &record).map_err(wrong)?;
        self.check_calls(store, library, key, &record).map_err(wrong)?;
        if record.elements.is_empty() {
            return Err(wrong("it lives without a token".into()));
        }
        for element in &record.elements {
            check_reason(&definition.process, element).map_err(wrong)?;
        }
        self.check_occurrences(key, &record)
    }

    /// A call activity waits for an instance that lives and knows its caller, and the other way
    /// round. Of those that messages started with one key, one lives.
    fn check_calls(
        &self,
        store: &Core,
        library: &Library,
        key: InstanceKey,
        record: &RecordMessage,
    ) -> Result<(), String> {
        for element in &record.elements {
            let Some(called) = element.called else { continue };
            let called = InstanceKey::new(called + key.raw());
            if store.instances.get(&called).is_none_or(|row| row.caller != Some(key)) {
                return Err(format!("{} waits for {called}, which is gone", element.element));
            }
        }
        if let Some(caller) = &record.caller {
            let caller = InstanceKey::new(caller.instance);
            let row = store.instances.get(&caller);
            let of_caller = row.and_then(|row| store.record_of(row).ok());
            let is_waited_for = of_caller.is_some_and(|record| {
                let mut called = record.elements.iter().filter_map(|element| element.called);
                called.any(|called| called + caller.raw() == key.raw())
            });
            if !is_waited_for {
                return Err(format!("its caller {caller} does not wait for it"));
            }
        }
        let Some(held) = &record.started_with else { return Ok(()) };
        let process = |definition| library.get(definition).map(|known| &known.process.id);
        let own = store.instances.get(&key).and_then(|row| process(row.definition));
        let others = store.instances.values().filter(|row| row.key != key);
        for other in others.filter(|row| process(row.definition) == own) {
            let record = store.record_of(other).map_err(|error| error.to_string())?;
            if record.started_with.as_ref() == Some(held) {
                return Err(format!("{} was started with the key {held:?} too", other.key));
            }
        }
        Ok(())
    }

    /// Each firing of a repeating timer has one job, for ever.
    fn check_occurrences(
        &mut self,
        key: InstanceKey,
        record: &RecordMessage,
    ) -> Result<(), Violation> {
        for element in &record.elements {
            for job in &element.jobs {
                let Some(repeat) = &job.repeat else { continue };
                let host = ElementInstanceKey::new(element.key + key.raw());
                let occurrence = (host, job.event.clone(), repeat.fired);
                let job = JobKey::new(job.key + key.raw());
                let known = *self.occurrences.entry(occurrence).or_insert(job);
                if known != job {
                    let message = format!(
                        "firing {} of {} on {host} is planned twice, as {known} and {job}",
                        repeat.fired, element.element
                    );
                    return Err(Violation::new("I8", message));
                }
            }
        }
        Ok(())
    }
}

/// What has ended leaves nothing behind.
fn no_rows(store: &Core, key: InstanceKey) -> Result<(), String> {
    let jobs = store.jobs.values().any(|row| row.instance == key);
    let tasks = store.user_tasks.values().any(|row| row.instance == key);
    let incidents = store.incidents.values().any(|row| row.instance == key);
    let variables = store.variables.values().any(|row| row.instance == key);
    let pages = store.pages.values().any(|row| row.instance == key);
    let waits = store.subscriptions.values().any(|row| row.instance == key);
    match (jobs, tasks, incidents, variables, pages, waits) {
        (false, false, false, false, false, false) => Ok(()),
        left => Err(format!("it is gone but not its rows: {left:?}")),
    }
}

fn check_rows(store: &Core, key: InstanceKey, record: &RecordMessage) -> Result<(), String> {
    let base = key.raw();
    let rows = store.jobs.values().filter(|row| row.instance == key);
    let mut jobs = Vec::new();
    for element in &record.elements {
        for job in &element.jobs {
            let job_key = JobKey::new(job.key + base);
            let row = store.jobs.get(&job_key);
            let row = row.ok_or_else(|| format!("job {job_key} has no row"))?;
            check_job(row, job, ElementInstanceKey::new(element.key + base))?;
            jobs.push(job_key);
        }
    }
    if let Some(stray) = rows.map(|row| row.key).find(|job| !jobs.contains(job)) {
        return Err(format!("job {stray} has a row but is not in the record"));
    }
    let tasks: Vec<UserTaskKey> = record
        .elements
        .iter()
        .filter_map(|element| element.user_task)
        .map(|task| UserTaskKey::new(task + base))
        .collect();
    let stored = store.user_tasks.values().filter(|row| row.instance == key);
    same("user tasks", tasks, stored.map(|row| row.key).collect())?;
    let incidents = record.elements.iter().flat_map(incidents_of);
    let incidents = incidents.map(|incident| IncidentKey::new(incident.key + base)).collect();
    let stored = store.incidents.values().filter(|row| row.instance == key);
    same("incidents", incidents, stored.map(|row| row.key).collect())?;
    let waits = record.elements.iter().chain(&record.root).flat_map(|host| &host.subscriptions);
    let waits = waits.map(|wait| SubscriptionKey::new(wait.key + base)).collect();
    let stored = store.subscriptions.values().filter(|row| row.instance == key);
    same("subscriptions", waits, stored.map(|row| row.key).collect())
}

fn same<T: Ord + std::fmt::Debug>(
    what: &str,
    mut record: Vec<T>,
    mut rows: Vec<T>,
) -> Result<(), String> {
    record.sort();
    rows.sort();
    match record == rows {
        true => Ok(()),
        false => Err(format!("{what} in the record {record:?}, as rows {rows:?}")),
    }
}

fn check_job(row: &JobRow, job: &JobEntry, host: ElementInstanceKey) -> Result<(), String> {
    let in_row = (
        row.element_instance,
        row.kind as u32,
        &*row.job_type,
        row.state as u32,
        row.retries_left,
        row.priority,
        row.exclusive,
        row.due_at.map(|at| at.as_ms()),
    );
    let in_record = (
        host,
        job.kind,
        job.job_type.as_str(),
        job.state,
        job.retries_left,
        job.priority,
        job.exclusive,
        job.due_at_ms,
    );
    if in_row != in_record {
        return Err(format!(
            "job {} is {in_row:?} in its row, {in_record:?} in the record",
            row.key
        ));
    }
    if row.state == JobState::Waiting && row.due_at.is_none() {
        return Err(format!("job {} waits for no moment", row.key));
    }
    Ok(())
}

/// An exclusive job is ready if and only if it holds the queue, and parked if it stands in it: that
/// of its instance, or of the outermost one.
fn check_exclusive(store: &Core, key: InstanceKey, record: &RecordMessage) -> Result<(), String> {
    let root = record.caller.as_ref().map(|caller| InstanceKey::new(caller.root));
    let row = root.and_then(|root| store.instances.get(&root));
    let of_root = row.and_then(|row| Some((row.key.raw(), store.record_of(row).ok()?)));
    for job in record.elements.iter().flat_map(|element| &element.jobs) {
        let holds = |queue: &RecordMessage, job| queue.exclusive_holder == Some(job);
        let waits = |queue: &RecordMessage, job| queue.exclusive_parked.contains(&job);
        let in_root = |is: &dyn Fn(&RecordMessage, i64) -> bool| {
            of_root.as_ref().is_some_and(|(base, root)| is(root, job.key + key.raw() - base))
        };
        let is_holder = holds(record, job.key) || in_root(&holds);
        let is_parked = waits(record, job.key) || in_root(&waits);
        let expected = match (job.exclusive, job.state) {
            (true, state) if state == JobState::Ready as u32 => (true, false),
            (true, state) if state == JobState::Parked as u32 => (false, true),
            _ => (false, false),
        };
        if (is_holder, is_parked) != expected {
            let job = job.key + key.raw();
            return Err(format!("job {job} does not stand in the queue as its state says"));
        }
    }
    Ok(())
}

/// A token waits for exactly one thing.
fn check_reason(process: &Process, element: &ElementEntry) -> Result<(), String> {
    let id = element.element.as_str();
    let index = process.find(id).ok_or_else(|| format!("no element '{id}' in the process"))?;
    let is_join = matches!(process.element(index).kind, ElementKind::ParallelGateway);
    let is_active = element.state == 1;
    let is_own = |job: &&JobEntry| job.kind != JobKind::Timer as u32 || job.event == id;
    let reasons = [
        element.jobs.iter().filter(is_own).count(),
        usize::from(element.user_task.is_some()),
        usize::from(element.incident.as_ref().is_some_and(|incident| incident.job.is_none())),
        usize::from(is_join && is_active && element.arrived_by.is_some()),
        usize::from(element.called.is_some()),
        element.subscriptions.iter().filter(|wait| wait.event == id).count(),
    ];
    if reasons.iter().sum::<usize>() != 1 {
        return Err(format!("the token at {id} has {reasons:?} reasons to wait"));
    }
    for job in &element.jobs {
        let has_stopped =
            job.state == JobState::Failed as u32 || job.state == JobState::ErrorThrown as u32;
        let has_incident = incidents_of(element).any(|incident| incident.job == Some(job.key));
        // One that waits for a person may be suspended besides.
        let is_suspended = job.state == JobState::Suspended as u32;
        if has_stopped != has_incident && !(is_suspended && has_incident) {
            return Err(format!("job {} at {id} and its incident disagree", job.key));
        }
    }
    Ok(())
}

fn incidents_of(element: &ElementEntry) -> impl Iterator<Item = &IncidentEntry> {
    element.incident.iter().chain(&element.timer_incidents)
}
