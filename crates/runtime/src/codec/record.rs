use std::collections::BTreeMap;

use orloj_interpreter::{
    ElementInstance, ElementState, ExclusiveQueue, Incident, Job, JobKind, JobState, Record, Repeat,
};
use orloj_store::format::{
    ElementEntry, ElementFields, IncidentEntry, IncidentFields, JobEntry, JobFields, RecordMessage,
    RecordWriter, RepeatEntry, RepeatFields, decode_record,
};
use orloj_store::{Error, LoadedInstance, VariableRow, VariableWrite};
use orloj_types::{
    DefinitionKey, ElementInstanceKey, EngineName, IncidentKey, InstanceKey, JobKey, NodeNumber,
    StoredValue, Timestamp, UserTaskKey, Variables,
};

use super::{job_state, scope};

/// Larger values have rows of their own, so that they are not written again with every step.
/// A kilobyte is what a step writes anyway (see docs/adr/0002).
const VALUE_INLINE_BYTES_MAX: usize = 1_024;
const NAME_OUTSIDE_BYTES_MAX: usize = 1_024;

pub fn encode(record: &Record) -> Vec<u8> {
    let base = record.instance.raw();
    let mut writer = RecordWriter::new(
        record.started_at.as_ms(),
        record.awaited_by.map(|number| u32::from(number.0)),
    );
    for element in &record.elements {
        writer.element(element_fields(element, record), |writer| {
            element.jobs.iter().for_each(|job| writer.job(job_fields(job, base)));
            if let Some(key) = element.user_task {
                writer.user_task(key.raw() - base);
            }
            if let Some(incident) = &element.incident {
                writer.incident(incident_fields(incident, base));
            }
            for incident in &element.timer_incidents {
                writer.timer_incident(incident_fields(incident, base));
            }
            if let Some(rest) = scope::rest_of(element, record) {
                writer.rest(&rest);
            }
        });
    }
    for (key, variables) in &record.variables {
        let small = variables.iter().filter(|(name, value)| !is_large(name, value));
        writer.scope(key.raw() - base, small.map(|(name, value)| (&**name, value)));
    }
    let parked = record.exclusive.parked.iter().map(|key| key.raw() - base);
    let rest = scope::rest_of_record(record);
    writer.finish(record.exclusive.holder.map(|key| key.raw() - base), parked, rest.as_ref())
}

fn element_fields<'a>(element: &'a ElementInstance, record: &Record) -> ElementFields<'a> {
    let base = record.instance.raw();
    ElementFields {
        key: element.key.raw() - base,
        element: &element.element,
        scope: element.scope.raw() - base,
        state: match element.state {
            ElementState::Entering => 0,
            ElementState::Active => 1,
            ElementState::Leaving => 2,
        },
        entered_ms: element.entered_at.ms_since(record.started_at),
        arrived_by: element.arrived_by.as_deref(),
    }
}

fn incident_fields(incident: &Incident, base: i64) -> IncidentFields<'_> {
    IncidentFields {
        key: incident.key.raw() - base,
        kind: &incident.kind,
        job: incident.job.map(|key| key.raw() - base),
    }
}

fn decode_incident(entry: &IncidentEntry, base: i64) -> Incident {
    Incident {
        key: IncidentKey::new(entry.key + base),
        kind: entry.kind.as_str().into(),
        job: entry.job.map(|key| JobKey::new(key + base)),
    }
}

fn job_fields(job: &Job, base: i64) -> JobFields<'_> {
    let (event, repeat, listener) = match &job.kind {
        JobKind::Timer { event, repeat } => (&**event, repeat.as_ref(), 0),
        JobKind::Listener { index } => ("", None, *index),
        _ => ("", None, 0),
    };
    JobFields {
        key: job.key.raw() - base,
        kind: super::rows::job_kind(&job.kind) as u32,
        job_type: &job.job_type,
        state: job_state(job.state) as u32,
        retries_left: job.retries_left,
        priority: job.priority,
        exclusive: job.exclusive,
        due_at_ms: job.due_at.map(Timestamp::as_ms),
        failed_before: job.failed_before,
        event,
        repeat: repeat.map(|repeat| RepeatFields {
            text: &repeat.text,
            anchor_ms: repeat.anchor.as_ms(),
            fired: repeat.fired,
        }),
        listener,
    }
}

/// As [`job_fields`], for what is not written field by field.
pub(super) fn job_entry(job: &Job, base: i64) -> JobEntry {
    let fields = job_fields(job, base);
    JobEntry {
        key: fields.key,
        kind: fields.kind,
        job_type: fields.job_type.to_owned(),
        state: fields.state,
        retries_left: fields.retries_left,
        priority: fields.priority,
        exclusive: fields.exclusive,
        due_at_ms: fields.due_at_ms,
        failed_before: fields.failed_before,
        event: fields.event.to_owned(),
        repeat: fields.repeat.map(|repeat| RepeatEntry {
            text: repeat.text.to_owned(),
            anchor_ms: repeat.anchor_ms,
            fired: repeat.fired,
        }),
        listener: fields.listener,
    }
}

pub(super) fn incident_entry(incident: &Incident, base: i64) -> IncidentEntry {
    let fields = incident_fields(incident, base);
    IncidentEntry { key: fields.key, kind: fields.kind.to_owned(), job: fields.job }
}

pub fn decode(loaded: &LoadedInstance) -> Result<Record, Error> {
    let row = &loaded.row;
    let message = decode_record(&row.record)?;
    let base = row.key.raw();
    let mut variables = BTreeMap::new();
    for scope in &message.scopes {
        let key = ElementInstanceKey::new(scope.key + base);
        let own: &mut Variables = variables.entry(key).or_default();
        for entry in &scope.variables {
            own.insert(entry.name.as_str().into(), entry.value()?);
        }
    }
    for large in &loaded.variables {
        let own: &mut Variables = variables.entry(large.scope).or_default();
        own.insert(large.name.clone(), large.value.clone());
    }
    let elements = message.elements.iter().map(|entry| element(entry, base, &message));
    let root = scope::decode_root(row.key, &message)?;
    Ok(Record {
        instance: row.key,
        definition: message.definition.map_or(row.definition, DefinitionKey::new),
        tenant: row.tenant.clone(),
        business_key: row.business_key.clone(),
        started_at: Timestamp::from_ms(message.started_at_ms),
        awaited_by: message.awaited_by.and_then(|n| u16::try_from(n).ok()).map(NodeNumber),
        started_with: message.started_with.as_deref().map(Into::into),
        caller: message.caller.as_ref().map(scope::decode_caller),
        root,
        elements: elements.collect::<Result<_, _>>()?,
        variables,
        exclusive: ExclusiveQueue {
            holder: message.exclusive_holder.map(|key| JobKey::new(key + base)),
            parked: message.exclusive_parked.iter().map(|key| JobKey::new(key + base)).collect(),
        },
        is_suspended: message.is_suspended,
    })
}

pub(super) fn element(
    entry: &ElementEntry,
    base: i64,
    message: &RecordMessage,
) -> Result<ElementInstance, Error> {
    let state = match entry.state {
        0 => ElementState::Entering,
        1 => ElementState::Active,
        2 => ElementState::Leaving,
        other => return Err(Error::Damaged(format!("element state {other}"))),
    };
    let started_at = Timestamp::from_ms(message.started_at_ms);
    let key = ElementInstanceKey::new(entry.key + base);
    let scope = ElementInstanceKey::new(entry.scope + base);
    let entered_at = started_at.plus_ms(entry.entered_ms);
    let mut found = ElementInstance::new(key, entry.element.as_str().into(), scope, entered_at);
    found.state = state;
    found.arrived_by = entry.arrived_by.as_deref().map(Into::into);
    found.jobs = entry.jobs.iter().map(|job| decode_job(job, base)).collect::<Result<_, _>>()?;
    found.user_task = entry.user_task.map(|key| UserTaskKey::new(key + base));
    found.incident = entry.incident.as_ref().map(|incident| decode_incident(incident, base));
    let of_timers = entry.timer_incidents.iter();
    found.timer_incidents = of_timers.map(|incident| decode_incident(incident, base)).collect();
    scope::decode_rest(&mut found, entry, base, started_at)?;
    Ok(found)
}

fn decode_job(entry: &JobEntry, base: i64) -> Result<Job, Error> {
    let kind = u8::try_from(entry.kind).ok().and_then(orloj_store::JobKind::from_number);
    let kind = match kind {
        Some(orloj_store::JobKind::AsyncBefore) => JobKind::AsyncBefore,
        Some(orloj_store::JobKind::AsyncAfter) => JobKind::AsyncAfter,
        Some(orloj_store::JobKind::AsyncComplete) => JobKind::AsyncComplete,
        Some(orloj_store::JobKind::Worker) => JobKind::Worker,
        Some(orloj_store::JobKind::Listener) => JobKind::Listener { index: entry.listener },
        Some(orloj_store::JobKind::Timer) => JobKind::Timer {
            event: entry.event.as_str().into(),
            repeat: entry.repeat.as_ref().map(|repeat| Repeat {
                text: repeat.text.as_str().into(),
                anchor: Timestamp::from_ms(repeat.anchor_ms),
                fired: repeat.fired,
            }),
        },
        None => return Err(Error::Damaged(format!("job kind {}", entry.kind))),
    };
    let state = match u8::try_from(entry.state).ok().and_then(orloj_store::JobState::from_number) {
        Some(orloj_store::JobState::Ready) => JobState::Ready,
        Some(orloj_store::JobState::Waiting) => JobState::Waiting,
        Some(orloj_store::JobState::Parked) => JobState::Parked,
        Some(orloj_store::JobState::Failed) => JobState::Failed,
        Some(orloj_store::JobState::ErrorThrown) => JobState::ErrorThrown,
        Some(orloj_store::JobState::Suspended) | None => {
            return Err(Error::Damaged(format!("job state {}", entry.state)));
        }
    };
    Ok(Job {
        key: JobKey::new(entry.key + base),
        kind,
        job_type: entry.job_type.as_str().into(),
        state,
        retries_left: entry.retries_left,
        priority: entry.priority,
        exclusive: entry.exclusive,
        due_at: entry.due_at_ms.map(Timestamp::from_ms),
        failed_before: entry.failed_before,
    })
}

/// The name is part of a row's key, which databases limit: very long ones stay in the record.
fn is_large(name: &str, value: &StoredValue) -> bool {
    value.bytes.len() > VALUE_INLINE_BYTES_MAX && name.len() <= NAME_OUTSIDE_BYTES_MAX
}

/// What changes in the rows of large values when `old` becomes `new`.
pub fn large_variables(
    engine: &EngineName,
    instance: InstanceKey,
    old: Option<&Record>,
    new: Option<&Record>,
) -> Vec<VariableWrite> {
    let Some(new) = new else {
        let had_some = old.is_some_and(|old| large(old).next().is_some());
        return if had_some { vec![VariableWrite::DeleteAll { instance }] } else { Vec::new() };
    };
    let before = |scope, name: &str| {
        old.and_then(|old| old.variables.get(&scope)?.get(name)).filter(|v| is_large(name, v))
    };
    let mut writes = Vec::new();
    for (scope, name, value) in large(new) {
        if before(scope, name) != Some(value) {
            writes.push(VariableWrite::Put(VariableRow {
                instance,
                scope,
                name: name.clone(),
                value: value.clone(),
                engine: engine.clone(),
                tenant: new.tenant.clone(),
            }));
        }
    }
    for (scope, name, _) in old.into_iter().flat_map(large) {
        let after = new.variables.get(&scope).and_then(|own| own.get(name));
        if !after.is_some_and(|value| is_large(name, value)) {
            writes.push(VariableWrite::Delete { instance, scope, name: name.clone() });
        }
    }
    writes
}

/// What a record takes in memory, roughly. Stored ones are terse: keys are differences, absent
/// fields take nothing.
pub(crate) fn in_memory_bytes(stored: &[u8], record: &Record) -> usize {
    const FACTOR: usize = 5;
    let values = large(record).map(|(_, name, value)| name.len() + value.bytes.len());
    FACTOR * stored.len() + values.sum::<usize>()
}

fn large(
    record: &Record,
) -> impl Iterator<Item = (ElementInstanceKey, &std::sync::Arc<str>, &StoredValue)> {
    record.variables.iter().flat_map(|(scope, own)| {
        own.iter().filter(|(n, value)| is_large(n, value)).map(move |(n, v)| (*scope, n, v))
    })
}
