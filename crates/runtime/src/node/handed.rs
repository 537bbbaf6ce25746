//! A worker's job on its way out of the engine.

use orloj_executor::Taker;
use orloj_interpreter::{JobKind, JobRow, Record, job_variables};
use orloj_model::{Code, ElementKind, Listener, ListenerEvent};
use orloj_types::{Document, Timestamp};

use crate::api::{ActivatedJob, Purpose};
use crate::definition::{Definition, Headers};

/// A job as its worker gets it.
pub(super) fn activated_job(
    row: &JobRow,
    attempt: i32,
    record: &Record,
    definition: &Definition,
    taker: &Taker,
    deadline: Timestamp,
) -> ActivatedJob {
    let mut variables =
        job_variables(&definition.process, record, row.element_instance, &row.job.kind);
    let listener = listener_of(row, record, definition);
    let of_listener = listener.map(|listener| &listener.event);
    if of_listener.is_some_and(is_of_task) {
        // What the task is to be completed with.
        let held = record.element(row.element_instance).map(|element| &element.held);
        variables.extend(held.into_iter().flatten().map(|(n, v)| (n.clone(), v.clone())));
    }
    if !taker.fetch.is_empty() {
        variables.retain(|name, _| taker.fetch.contains(name));
    }
    ActivatedJob {
        key: row.job.key,
        job_type: row.job.job_type.clone(),
        instance: record.instance,
        definition: definition.key,
        process_id: definition.process.id.clone(),
        version: definition.version,
        element: match row.element_instance == record.root.key {
            true => definition.process.id.as_str().into(),
            false => row.element.clone(),
        },
        element_instance: row.element_instance,
        headers: headers_of(row, listener, definition),
        worker: taker.worker.clone(),
        retries: row.job.retries_left,
        deadline,
        variables: Document(variables).to_json(),
        tenant: record.tenant.clone(),
        priority: row.job.priority,
        business_key: record.business_key.clone(),
        attempt,
        purpose: match of_listener {
            Some(event) => Purpose::Listener(event.clone()),
            None if is_ad_hoc(row, definition) => Purpose::AdHoc,
            None => Purpose::Element,
        },
        tags: record.tags.clone(),
    }
}

/// The listener that a job is for.
fn listener_of<'d>(
    row: &JobRow,
    record: &Record,
    definition: &'d Definition,
) -> Option<&'d Listener> {
    let JobKind::Listener { index } = row.job.kind else { return None };
    let process = &definition.process;
    let listeners = match row.element_instance == record.root.key {
        true => &process.listeners,
        false => &process.element(process.find(&row.element)?).listeners,
    };
    listeners.get(index as usize)
}

fn is_of_task(event: &ListenerEvent) -> bool {
    !matches!(event, ListenerEvent::Start | ListenerEvent::End | ListenerEvent::Take)
}

fn is_ad_hoc(row: &JobRow, definition: &Definition) -> bool {
    let process = &definition.process;
    let kind = process.find(&row.element).map(|index| &process.element(index).kind);
    matches!(kind, Some(ElementKind::SubProcess(_)))
}

/// What the model says, and what was computed when the job was made.
fn headers_of(row: &JobRow, listener: Option<&Listener>, definition: &Definition) -> Headers {
    let literal: Headers = match listener.map(|listener| &listener.code) {
        Some(Code::Worker { headers, .. }) => headers.as_slice().into(),
        Some(_) => Headers::default(),
        None => definition.headers(&row.element),
    };
    match &row.job.headers {
        Some(computed) => literal.iter().chain(computed.iter()).cloned().collect(),
        None => literal,
    }
}
