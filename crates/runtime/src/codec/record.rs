use std::sync::Arc;

use orloj_interpreter::{
    ElementInstance, ElementState, Elements, ExclusiveQueue, Incident, Job, JobKind, JobState,
    Record, Repeat, Scopes,
};
use orloj_store::format::{
    ElementEntry, ElementFields, HeaderEntry, IncidentEntry, IncidentFields, JobEntry, JobFields,
    RecordWriter, RepeatEntry, RepeatFields, ScopeEntry, decode_record,
};
use orloj_store::{Error, LoadedInstance, VariableRow, VariableWrite};
use orloj_types::{
    ElementInstanceKey, EngineName, IncidentKey, InstanceKey, JobKey, NodeNumber, StoredValue,
    SubscriptionKey, Timestamp, UserTaskKey, Variables,
};

use super::{job_state, pages, scope};

/// Larger values have rows of their own, so that they are not written again with every step.
/// A kilobyte is what a step writes anyway (see docs/adr/0002).
const VALUE_INLINE_BYTES_MAX: usize = 1_024;
const NAME_OUTSIDE_BYTES_MAX: usize = 1_024;

/// What the instance's row keeps: all of nearly every record, of those with pages the head.
pub fn encode(record: &Record) -> Vec<u8> {
    let base = record.instance.raw();
    let mut writer = RecordWriter::new(
        record.started_at.as_ms(),
        record.awaited_by.map(|number| u32::from(number.0)),
    );
    record.elements.head().for_each(|element| write_element(&mut writer, element, record));
    for (key, variables) in record.variables.head() {
        write_scope(&mut writer, *key, variables, base);
    }
    // The queue of a large record would be the larger part of its head.
    let parked: Vec<i64> = match record.elements.is_head_only() {
        true => record.exclusive.parked().map(|key| key.raw() - base).collect(),
        false => Vec::new(),
    };
    let rest = scope::rest_of_record(record);
    let holder = record.exclusive.holder.map(|key| key.raw() - base);
    writer.finish(holder, parked.into_iter(), rest.as_ref())
}

pub(super) fn write_element(writer: &mut RecordWriter, element: &ElementInstance, record: &Record) {
    let base = record.instance.raw();
    writer.element(element_fields(element, record), |writer| {
        element.jobs.iter().for_each(|job| writer.job(job_fields(job, record)));
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

pub(super) fn write_scope(
    writer: &mut RecordWriter,
    key: ElementInstanceKey,
    variables: &Variables,
    base: i64,
) {
    let small = variables.iter().filter(|(name, value)| !is_large(name, value));
    writer.scope(key.raw() - base, small.map(|(name, value)| (&**name, value)));
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
            ElementState::Ending => 3,
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
        cause: incident.cause.map(IncidentKey::raw),
    }
}

fn decode_incident(entry: &IncidentEntry, base: i64) -> Incident {
    Incident {
        key: IncidentKey::new(entry.key + base),
        kind: entry.kind.as_str().into(),
        job: entry.job.map(|key| JobKey::new(key + base)),
        cause: entry.cause.map(IncidentKey::new),
    }
}

fn job_fields<'a>(job: &'a Job, record: &Record) -> JobFields<'a> {
    let base = record.instance.raw();
    let is_queued = job.exclusive && job.state == JobState::Parked;
    let ticket = match is_queued && !record.elements.is_head_only() {
        true => record.exclusive.ticket(job.key).unwrap_or_default(),
        false => 0,
    };
    let (event, repeat, listener) = match &job.kind {
        JobKind::Timer { event, repeat } => (&**event, repeat.as_ref(), 0),
        JobKind::Listener { index } => ("", None, *index),
        _ => ("", None, 0),
    };
    let (subscription, variables) = match &job.kind {
        JobKind::Signal { subscription, variables } => {
            (Some(subscription.raw() - base), Some(variables))
        }
        _ => (None, None),
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
        still_held: job.still_held,
        event,
        repeat: repeat.map(|repeat| RepeatFields {
            text: &repeat.text,
            anchor_ms: repeat.anchor.as_ms(),
            fired: repeat.fired,
        }),
        listener,
        ticket,
        category: job.category.as_deref(),
        limit_key: job.limit_key.as_deref(),
        subscription,
        variables,
        headers: job.headers.as_deref().unwrap_or_default(),
    }
}

/// As [`job_fields`], for what is not written field by field.
pub(super) fn job_entry(job: &Job, record: &Record) -> JobEntry {
    let fields = job_fields(job, record);
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
        still_held: fields.still_held,
        event: fields.event.to_owned(),
        repeat: fields.repeat.map(|repeat| RepeatEntry {
            text: repeat.text.to_owned(),
            anchor_ms: repeat.anchor_ms,
            fired: repeat.fired,
        }),
        listener: fields.listener,
        ticket: fields.ticket,
        category: fields.category.map(str::to_owned),
        limit_key: fields.limit_key.map(str::to_owned),
        subscription: fields.subscription,
        variables: scope::entries(fields.variables),
        headers: fields.headers.iter().map(header_entry).collect(),
    }
}

fn header_entry((name, value): &(Arc<str>, Arc<str>)) -> HeaderEntry {
    HeaderEntry { name: (**name).to_owned(), value: (**value).to_owned() }
}

pub(super) fn incident_entry(incident: &Incident, base: i64) -> IncidentEntry {
    let fields = incident_fields(incident, base);
    let (kind, cause) = (fields.kind.to_owned(), fields.cause);
    IncidentEntry { key: fields.key, kind, job: fields.job, cause }
}

pub fn decode(loaded: &LoadedInstance) -> Result<Record, Error> {
    let row = &loaded.row;
    let message = decode_record(&row.record)?;
    let base = row.key.raw();
    let started_at = Timestamp::from_ms(message.started_at_ms);
    let mut parked: Vec<(u64, JobKey)> = Vec::new();
    for entry in message.root.iter().chain(&message.elements) {
        parked.extend(parked_of(entry, base));
    }
    let elements = message.elements.iter().map(|entry| element(entry, base, started_at));
    let elements: Vec<ElementInstance> = elements.collect::<Result<_, _>>()?;
    let scopes = message.scopes.iter().map(|entry| decode_scope(entry, base));
    let scopes: Vec<_> = scopes.collect::<Result<_, _>>()?;
    let paged = pages::decode(loaded, started_at)?;
    pages::check_order(&elements, &paged.elements, |element| element.key)?;
    pages::check_order(&scopes, &paged.scopes, |(key, _)| *key)?;
    parked.extend(paged.parked);
    let mut variables = Scopes::from_parts(scopes, paged.scopes);
    for large in &loaded.variables {
        let own = variables.get_or_default(large.scope);
        own.insert(large.name.clone(), large.value.clone());
    }
    let elements = Elements::from_parts(elements, paged.elements);
    let strangers = &message.exclusive_strangers;
    let queued = strangers.iter().filter(|entry| entry.ticket > 0);
    parked.extend(queued.map(|entry| (entry.ticket, JobKey::new(entry.job + base))));
    if elements.is_head_only() {
        let listed = message.exclusive_parked.iter().map(|key| JobKey::new(key + base));
        parked = (1..).zip(listed).collect();
    }
    let root = scope::decode_root(row.key, &message)?;
    Ok(Record {
        instance: row.key,
        definition: row.definition,
        tenant: row.tenant.clone(),
        business_key: row.business_key.clone(),
        started_at: Timestamp::from_ms(message.started_at_ms),
        awaited_by: message.awaited_by.and_then(|n| u16::try_from(n).ok()).map(NodeNumber),
        started_with: message.started_with.as_deref().map(Into::into),
        caller: message.caller.as_ref().map(scope::decode_caller),
        tags: message.tags.iter().map(|tag| Arc::from(&**tag)).collect(),
        stops_after: message.stops_after.iter().map(|id| id.as_str().into()).collect(),
        root: Arc::new(root),
        elements,
        variables,
        exclusive: ExclusiveQueue::from_parts(
            message.exclusive_holder.map(|key| JobKey::new(key + base)),
            parked,
        )
        .with_strangers(
            strangers.iter().map(|entry| (JobKey::new(entry.job + base), scope::stranger(entry))),
        ),
        still_held: message.still_held.iter().map(|key| JobKey::new(key + base)).collect(),
        is_suspended: message.is_suspended,
    })
}

/// Those that wait for their turn, and when it comes.
pub(super) fn parked_of(entry: &ElementEntry, base: i64) -> impl Iterator<Item = (u64, JobKey)> {
    let queued = entry.jobs.iter().filter(|job| job.ticket > 0);
    queued.map(move |job| (job.ticket, JobKey::new(job.key + base)))
}

pub(super) fn decode_scope(
    entry: &ScopeEntry,
    base: i64,
) -> Result<(ElementInstanceKey, Variables), Error> {
    let mut own = Variables::new();
    for variable in &entry.variables {
        own.insert(variable.name.as_str().into(), variable.value()?);
    }
    Ok((ElementInstanceKey::new(entry.key + base), own))
}

pub(super) fn element(
    entry: &ElementEntry,
    base: i64,
    started_at: Timestamp,
) -> Result<ElementInstance, Error> {
    let state = match entry.state {
        0 => ElementState::Entering,
        1 => ElementState::Active,
        2 => ElementState::Leaving,
        3 => ElementState::Ending,
        other => return Err(Error::Damaged(format!("element state {other}"))),
    };
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
        Some(orloj_store::JobKind::Signal) => JobKind::Signal {
            subscription: SubscriptionKey::new(entry.subscription.unwrap_or_default() + base),
            variables: scope::variables(&entry.variables)?,
        },
        Some(orloj_store::JobKind::Timer) => JobKind::Timer {
            event: entry.event.as_str().into(),
            repeat: entry.repeat.as_ref().map(|repeat| Repeat {
                text: repeat.text.as_str().into(),
                anchor: Timestamp::from_ms(repeat.anchor_ms),
                fired: repeat.fired,
            }),
        },
        // Chores are in no instance.
        _ => return Err(Error::Damaged(format!("job kind {}", entry.kind))),
    };
    let state = match u8::try_from(entry.state).ok().and_then(orloj_store::JobState::from_number) {
        Some(orloj_store::JobState::Ready) => JobState::Ready,
        Some(orloj_store::JobState::Waiting) => JobState::Waiting,
        Some(orloj_store::JobState::Parked) => JobState::Parked,
        Some(orloj_store::JobState::Failed) => JobState::Failed,
        Some(orloj_store::JobState::ErrorThrown) => JobState::ErrorThrown,
        Some(orloj_store::JobState::Suspended) => JobState::Suspended,
        None => {
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
        still_held: entry.still_held,
        category: entry.category.as_deref().map(Into::into),
        limit_key: entry.limit_key.as_deref().map(Into::into),
        headers: (!entry.headers.is_empty()).then(|| {
            let headers = entry.headers.iter();
            headers.map(|header| ((*header.name).into(), (*header.value).into())).collect()
        }),
    })
}

/// The name is part of a row's key, which databases limit: very long ones stay in the record.
fn is_large(name: &str, value: &StoredValue) -> bool {
    value.bytes.len() > VALUE_INLINE_BYTES_MAX && name.len() <= NAME_OUTSIDE_BYTES_MAX
}

/// What changes in the rows of large values when `old` becomes `new`, and by how many bytes they
/// grow.
pub fn large_variables(
    engine: &EngineName,
    instance: InstanceKey,
    old: Option<&Record>,
    new: Option<&Record>,
) -> (Vec<VariableWrite>, isize) {
    let nothing = Scopes::default();
    let before = old.map_or(&nothing, |old| &old.variables);
    let Some(new) = new else {
        let had_some = before.iter().any(|(_, own)| own.iter().any(|(n, v)| is_large(n, v)));
        let writes = had_some.then_some(VariableWrite::DeleteAll { instance });
        return (writes.into_iter().collect(), 0);
    };
    if new.variables.is_copy_of(before) {
        return (Vec::new(), 0);
    }
    let changed = new.variables.changed_pages(before);
    let was = changed.iter().filter_map(|(was, _)| *was).flat_map(|page| &page.entries);
    let is = changed.iter().filter_map(|(_, is)| *is).flat_map(|page| &page.entries);
    let (mut writes, mut grown) = (Vec::new(), 0);
    for (scope, name, value) in large(new.variables.head().iter().chain(is)) {
        let known = before.get(&scope).and_then(|own| own.get(name));
        let known = known.filter(|known| is_large(name, known));
        if known != Some(value) {
            grown += length_of(value) - known.map_or(0, length_of);
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
    for (scope, name, value) in large(before.head().iter().chain(was)) {
        let after = new.variables.get(&scope).and_then(|own| own.get(name));
        if !after.is_some_and(|value| is_large(name, value)) {
            grown -= length_of(value);
            writes.push(VariableWrite::Delete { instance, scope, name: name.clone() });
        }
    }
    (writes, grown)
}

fn length_of(value: &StoredValue) -> isize {
    isize::try_from(value.bytes.len()).unwrap_or(isize::MAX)
}

/// What a record takes in memory, roughly. Stored ones are terse: keys are differences, absent
/// fields take nothing. `large` is what its large values take.
pub(crate) fn in_memory_bytes(stored: &[u8], record: &Record, large: usize) -> usize {
    const FACTOR: usize = 5;
    /// An element instance in a page with its job and its variables.
    const PAGED_BYTES: usize = 768;
    let paged = record.elements.len() - record.elements.head().len();
    FACTOR * stored.len() + PAGED_BYTES * paged + large
}

fn large<'a>(
    scopes: impl Iterator<Item = &'a (ElementInstanceKey, Variables)>,
) -> impl Iterator<Item = (ElementInstanceKey, &'a std::sync::Arc<str>, &'a StoredValue)> {
    scopes.flat_map(|(scope, own)| {
        own.iter().filter(|(n, value)| is_large(n, value)).map(move |(n, v)| (*scope, n, v))
    })
}
