//! The parts of a record that few records have: scopes with events, calls, several instances of
//! one activity, and what can be undone.

use std::sync::Arc;

use orloj_interpreter::{
    After, Caller, Compensation, ElementInstance, ElementState, Multi, Record, Role, Standing,
    Stranger, Subscription, SubscriptionKind, Task, TaskProperties,
};
use orloj_store::Error;
use orloj_store::format::{
    AfterEntry, CallerEntry, CompensationEntry, ElementEntry, MultiEntry, RecordMessage,
    StrangerEntry, SubscriptionEntry, TaskEntry, TaskPropertiesEntry, VariableEntry,
};
use orloj_types::{
    ElementId, ElementInstanceKey, InstanceKey, JobKey, SubscriptionKey, Timestamp, UserTaskKey,
    Variables,
};

use super::record;

/// `None` for most elements.
pub(super) fn rest_of(element: &ElementInstance, record: &Record) -> Option<ElementEntry> {
    let is_plain = element.role == Role::Plain
        && element.subscriptions.is_empty()
        && element.called.is_none()
        && element.multi.is_none()
        && element.compensations.is_empty()
        && element.undoing == 0
        && !element.is_assigned
        && element.held.is_empty()
        && element.thrown.is_none()
        && element.task.is_none()
        && element.after.is_none();
    if is_plain {
        return None;
    }
    let base = record.instance.raw();
    let mut compensations = Vec::new();
    flatten(&element.compensations, record.started_at, &mut compensations);
    Some(ElementEntry {
        role: role_number(element.role),
        subscriptions: element.subscriptions.iter().map(|s| subscription(s, base)).collect(),
        called: element.called.map(|key| key.raw() - base),
        multi: element.multi.map(|multi| MultiEntry {
            total: multi.total,
            created: multi.created,
            completed: multi.completed,
        }),
        compensations,
        undoing: element.undoing,
        is_assigned: element.is_assigned,
        held: element.held.iter().map(|(n, v)| VariableEntry::new(n, v)).collect(),
        thrown: element.thrown.as_deref().map(str::to_owned),
        task: element.task.as_ref().map(|task| task_entry(task, base)),
        after: element.after.as_ref().map(|after| after_entry(after)),
        ..ElementEntry::default()
    })
}

/// `None` for most records.
pub(super) fn rest_of_record(record: &Record) -> Option<RecordMessage> {
    let root = root_entry(record);
    let strangers = record.exclusive.strangers();
    let base = record.instance.raw();
    let is_plain = record.caller.is_none()
        && record.started_with.is_none()
        && record.tags.is_empty()
        && record.stops_after.is_empty()
        && record.still_held.is_empty()
        && strangers.len() == 0;
    if is_plain && root.is_none() && !record.is_suspended {
        return None;
    }
    let caller = record.caller.map(|caller| CallerEntry {
        instance: caller.instance.raw(),
        element_instance: caller.element_instance.raw(),
        root: caller.root.raw(),
    });
    Some(RecordMessage {
        caller,
        root,
        is_suspended: record.is_suspended,
        started_with: record.started_with.as_deref().map(Into::into),
        exclusive_strangers: strangers.map(|stranger| stranger_entry(stranger, record)).collect(),
        tags: record.tags.iter().map(|tag| (**tag).to_owned()).collect(),
        stops_after: record.stops_after.iter().map(|id| id.as_str().to_owned()).collect(),
        still_held: record.still_held.iter().map(|key| key.raw() - base).collect(),
        ..RecordMessage::default()
    })
}

fn stranger_entry((job, stranger): (JobKey, Stranger), record: &Record) -> StrangerEntry {
    // A record without pages lists its queue instead.
    let ticket = match record.elements.is_head_only() {
        true => 0,
        false => record.exclusive.ticket(job).unwrap_or_default(),
    };
    let Stranger { instance, standing } = stranger;
    StrangerEntry {
        job: job.raw() - record.instance.raw(),
        instance: instance.raw(),
        ticket,
        priority: standing.priority,
        is_timer: standing.is_timer,
        due_at_ms: standing.due_at.map(Timestamp::as_ms),
    }
}

pub(super) fn stranger(entry: &StrangerEntry) -> Stranger {
    let standing = Standing {
        priority: entry.priority,
        is_timer: entry.is_timer,
        due_at: entry.due_at_ms.map(Timestamp::from_ms),
    };
    Stranger { instance: InstanceKey::new(entry.instance), standing }
}

/// The element of the instance itself, unless it says nothing.
fn root_entry(record: &Record) -> Option<ElementEntry> {
    let root = &record.root;
    let rest = rest_of(root, record);
    let is_beginning = root.arrived_by.is_some();
    let is_quiet = root.jobs.is_empty()
        && root.incident.is_none()
        && root.timer_incidents.is_empty()
        && !is_beginning;
    if rest.is_none() && is_quiet {
        return None;
    }
    let base = record.instance.raw();
    Some(ElementEntry {
        state: 1,
        // The start event, while listeners of the process are at work.
        arrived_by: root.arrived_by.as_deref().map(str::to_owned),
        incident: root.incident.as_ref().map(|incident| record::incident_entry(incident, base)),
        jobs: root.jobs.iter().map(|job| record::job_entry(job, record)).collect(),
        timer_incidents: root
            .timer_incidents
            .iter()
            .map(|incident| record::incident_entry(incident, base))
            .collect(),
        ..rest.unwrap_or_default()
    })
}

pub(super) fn decode_caller(entry: &CallerEntry) -> Caller {
    Caller {
        instance: InstanceKey::new(entry.instance),
        element_instance: ElementInstanceKey::new(entry.element_instance),
        root: InstanceKey::new(entry.root),
    }
}

pub(super) fn decode_root(
    instance: InstanceKey,
    message: &RecordMessage,
) -> Result<ElementInstance, Error> {
    let at = Timestamp::from_ms(message.started_at_ms);
    match &message.root {
        Some(entry) => record::element(entry, instance.raw(), at),
        None => {
            let scope = instance.root_scope();
            let mut root = ElementInstance::new(scope, ElementId::from(""), scope, at);
            root.state = ElementState::Active;
            Ok(root)
        }
    }
}

pub(super) fn decode_rest(
    into: &mut ElementInstance,
    entry: &ElementEntry,
    base: i64,
    started_at: Timestamp,
) -> Result<(), Error> {
    into.role = role(entry.role)?;
    into.subscriptions = entry
        .subscriptions
        .iter()
        .map(|entry| decode_subscription(entry, base))
        .collect::<Result<_, _>>()?;
    into.called = entry.called.map(|key| InstanceKey::new(key + base));
    into.multi = entry.multi.as_ref().map(|multi| Multi {
        total: multi.total,
        created: multi.created,
        completed: multi.completed,
    });
    into.compensations = unflatten(&entry.compensations, started_at)?.into();
    into.undoing = entry.undoing;
    into.is_assigned = entry.is_assigned;
    into.held = variables(&entry.held)?;
    into.thrown = entry.thrown.as_deref().map(Into::into);
    into.task = entry.task.as_ref().map(|task| Box::new(decode_task(task, base)));
    into.after = match &entry.after {
        Some(after) => Some(Box::new(decode_after(after)?)),
        None => None,
    };
    Ok(())
}

fn task_entry(task: &Task, base: i64) -> TaskEntry {
    TaskEntry {
        key: task.key.raw() - base,
        now: Some(properties_entry(&task.now)),
        before: (task.before != task.now).then(|| properties_entry(&task.before)),
        own: task.own.iter().map(|name| (**name).to_owned()).collect(),
    }
}

fn properties_entry(properties: &TaskProperties) -> TaskPropertiesEntry {
    let texts = |names: &[Arc<str>]| names.iter().map(|name| (**name).to_owned()).collect();
    TaskPropertiesEntry {
        assignee: properties.assignee.as_deref().map(str::to_owned),
        candidate_groups: texts(&properties.candidate_groups),
        candidate_users: texts(&properties.candidate_users),
        due_at_ms: properties.due_at.map(Timestamp::as_ms),
        follow_up_at_ms: properties.follow_up_at.map(Timestamp::as_ms),
        priority: properties.priority,
        form_key: properties.form_key.as_deref().map(str::to_owned),
        name: properties.name.as_deref().map(str::to_owned),
        description: properties.description.as_deref().map(str::to_owned),
        owner: properties.owner.as_deref().map(str::to_owned),
        category: properties.category.as_deref().map(str::to_owned),
    }
}

fn decode_task(entry: &TaskEntry, base: i64) -> Task {
    let now = entry.now.as_ref().map(decode_properties).unwrap_or_default();
    let before = entry.before.as_ref().map_or_else(|| now.clone(), decode_properties);
    let own = entry.own.iter().map(|name| Arc::from(&**name)).collect();
    Task { key: UserTaskKey::new(entry.key + base), now, before, own }
}

fn decode_properties(entry: &TaskPropertiesEntry) -> TaskProperties {
    let texts = |names: &[String]| names.iter().map(|name| Arc::from(&**name)).collect();
    TaskProperties {
        assignee: entry.assignee.as_deref().map(Into::into),
        candidate_groups: texts(&entry.candidate_groups),
        candidate_users: texts(&entry.candidate_users),
        due_at: entry.due_at_ms.map(Timestamp::from_ms),
        follow_up_at: entry.follow_up_at_ms.map(Timestamp::from_ms),
        priority: entry.priority,
        form_key: entry.form_key.as_deref().map(Into::into),
        name: entry.name.as_deref().map(Into::into),
        description: entry.description.as_deref().map(Into::into),
        owner: entry.owner.as_deref().map(Into::into),
        category: entry.category.as_deref().map(Into::into),
    }
}

fn after_entry(after: &After) -> AfterEntry {
    match after {
        After::Event { event, with } => {
            AfterEntry { kind: 0, event: event.as_str().to_owned(), variables: entries(Some(with)) }
        }
        After::Completed => AfterEntry { kind: 1, ..AfterEntry::default() },
        After::Cancelled => AfterEntry { kind: 2, ..AfterEntry::default() },
    }
}

fn decode_after(entry: &AfterEntry) -> Result<After, Error> {
    Ok(match entry.kind {
        0 => {
            After::Event { event: entry.event.as_str().into(), with: variables(&entry.variables)? }
        }
        1 => After::Completed,
        2 => After::Cancelled,
        other => return Err(Error::Damaged(format!("what follows an end: {other}"))),
    })
}

pub(super) fn entries(variables: Option<&Variables>) -> Vec<VariableEntry> {
    variables.into_iter().flatten().map(|(n, v)| VariableEntry::new(n, v)).collect()
}

pub(super) fn variables(entries: &[VariableEntry]) -> Result<Variables, Error> {
    let mut variables = Variables::new();
    for entry in entries {
        variables.insert(entry.name.as_str().into(), entry.value()?);
    }
    Ok(variables)
}

fn role_number(role: Role) -> u32 {
    match role {
        Role::Plain => 0,
        Role::Body => 1,
        Role::Inner => 2,
        Role::Handler => 3,
        Role::Triggered => 4,
        Role::Branch => 5,
    }
}

fn role(number: u32) -> Result<Role, Error> {
    Ok(match number {
        0 => Role::Plain,
        1 => Role::Body,
        2 => Role::Inner,
        3 => Role::Handler,
        4 => Role::Triggered,
        5 => Role::Branch,
        other => return Err(Error::Damaged(format!("role {other}"))),
    })
}

fn subscription(subscription: &Subscription, base: i64) -> SubscriptionEntry {
    let (kind, name, correlation_key) = parts(&subscription.kind);
    SubscriptionEntry {
        key: subscription.key.raw() - base,
        event: subscription.event.as_str().to_owned(),
        kind: u32::from(kind as u8),
        name: name.unwrap_or_default().to_owned(),
        correlation_key: correlation_key.map(str::to_owned),
    }
}

/// The kind of a subscription as stores know it, its name and its correlation key.
pub(crate) fn parts(
    kind: &SubscriptionKind,
) -> (orloj_store::SubscriptionKind, Option<&str>, Option<&str>) {
    use orloj_store::SubscriptionKind as Stored;
    match kind {
        SubscriptionKind::Message { name, correlation_key } => {
            (Stored::Message, Some(name), correlation_key.as_deref())
        }
        SubscriptionKind::Signal { name } => (Stored::Signal, Some(name), None),
        SubscriptionKind::Condition => (Stored::Condition, None, None),
        SubscriptionKind::Hand => (Stored::Hand, None, None),
        SubscriptionKind::Registry { event_type } => (Stored::Registry, Some(event_type), None),
        SubscriptionKind::Variable { name } => (Stored::Variable, Some(name), None),
    }
}

fn decode_subscription(entry: &SubscriptionEntry, base: i64) -> Result<Subscription, Error> {
    use orloj_store::SubscriptionKind as Stored;
    let name = || entry.name.as_str().into();
    let kind = u8::try_from(entry.kind).ok().and_then(Stored::from_number);
    let kind = match kind {
        Some(Stored::Message) => SubscriptionKind::Message {
            name: name(),
            correlation_key: entry.correlation_key.as_deref().map(Into::into),
        },
        Some(Stored::Signal) => SubscriptionKind::Signal { name: name() },
        Some(Stored::Condition) => SubscriptionKind::Condition,
        Some(Stored::Hand) => SubscriptionKind::Hand,
        Some(Stored::Registry) => SubscriptionKind::Registry { event_type: name() },
        Some(Stored::Variable) => SubscriptionKind::Variable { name: name() },
        None => return Err(Error::Damaged(format!("subscription kind {}", entry.kind))),
    };
    let key = SubscriptionKey::new(entry.key + base);
    Ok(Subscription { key, event: entry.event.as_str().into(), kind })
}

/// What lies inside comes first, so that nothing here depends on how deep scopes are nested.
fn flatten(
    compensations: &[Compensation],
    started_at: Timestamp,
    entries: &mut Vec<CompensationEntry>,
) {
    enum Visit<'a> {
        Enter(&'a Compensation),
        Leave(&'a Compensation, usize),
    }
    let mut todo: Vec<Visit<'_>> = compensations.iter().rev().map(Visit::Enter).collect();
    while let Some(visit) = todo.pop() {
        match visit {
            Visit::Enter(compensation) => {
                todo.push(Visit::Leave(compensation, entries.len()));
                todo.extend(compensation.inner.iter().rev().map(Visit::Enter));
            }
            Visit::Leave(compensation, first) => {
                let inner = u32::try_from(entries.len() - first).unwrap_or(u32::MAX);
                let variables = compensation.variables.iter();
                entries.push(CompensationEntry {
                    activity: compensation.activity.as_str().to_owned(),
                    completed_ms: compensation.completed_at.ms_since(started_at),
                    variables: variables.map(|(n, v)| VariableEntry::new(n, v)).collect(),
                    inner,
                });
            }
        }
    }
}

fn unflatten(
    entries: &[CompensationEntry],
    started_at: Timestamp,
) -> Result<Vec<Compensation>, Error> {
    // Each with the number of entries it stands for.
    let mut done: Vec<(Compensation, usize)> = Vec::new();
    for entry in entries {
        let mut inner = Vec::new();
        let mut left = entry.inner as usize;
        while left > 0 {
            let (last, size) =
                done.pop().ok_or_else(|| Error::Damaged("compensation nesting".into()))?;
            left = left
                .checked_sub(size)
                .ok_or_else(|| Error::Damaged("compensation nesting".into()))?;
            inner.push(last);
        }
        inner.reverse();
        let variables = variables(&entry.variables)?;
        let compensation = Compensation {
            activity: entry.activity.as_str().into(),
            completed_at: started_at.plus_ms(entry.completed_ms),
            variables,
            inner: inner.into(),
        };
        done.push((compensation, entry.inner as usize + 1));
    }
    Ok(done.into_iter().map(|(compensation, _)| compensation).collect())
}
