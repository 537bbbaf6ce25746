//! Rows into statements and back. Columns come in the order of the tables.

use std::sync::Arc;

use orloj_store::format::decode_profile;
use orloj_store::{
    DecisionKey, DecisionRow, DefinitionRow, EndedRow, HistoryRow, IncidentRow, InstanceRow,
    JobKind, JobRow, JobState, NodeProfile, NodeRow, RecordPage, RecordPageKind, Requirements,
    RequirementsKey, UserTaskRow, VariableRow,
};
use orloj_types::{
    BatchKey, DefinitionKey, DeploymentKey, ElementId, ElementInstanceKey, EngineName, IncidentKey,
    InstanceKey, JobKey, NodeNumber, ProcessId, StoredValue, TenantId, Timestamp, UserTaskKey,
    ValueTag,
};
use rusqlite::types::Type;
use rusqlite::{CachedStatement, Result, Row, params};

pub(crate) fn insert_instance(into: &mut CachedStatement<'_>, row: &InstanceRow) -> Result<usize> {
    into.execute(params![
        row.key.raw(),
        row.rev,
        &*row.engine,
        &*row.tenant,
        row.definition.raw(),
        row.business_key.as_deref(),
        row.record,
        row.events,
    ])
}

pub(crate) fn instance(row: &Row<'_>) -> Result<InstanceRow> {
    Ok(InstanceRow {
        key: InstanceKey::new(row.get(0)?),
        rev: row.get(1)?,
        engine: engine(row, 2)?,
        tenant: tenant(row, 3)?,
        definition: DefinitionKey::new(row.get(4)?),
        business_key: row.get(5)?,
        record: row.get(6)?,
        events: row.get(7)?,
        caller: instance_key(row, 8)?,
        root: instance_key(row, 9)?,
    })
}

pub(crate) fn put_variable(into: &mut CachedStatement<'_>, row: &VariableRow) -> Result<usize> {
    into.execute(params![
        row.instance.raw(),
        row.scope.raw(),
        &*row.name,
        &*row.engine,
        &*row.tenant,
        row.value.tag as u8,
        &*row.value.bytes,
    ])
}

pub(crate) fn variable(row: &Row<'_>) -> Result<VariableRow> {
    let tag = number(row, 5, ValueTag::from_number)?;
    Ok(VariableRow {
        instance: InstanceKey::new(row.get(0)?),
        scope: ElementInstanceKey::new(row.get(1)?),
        name: row.get(2)?,
        engine: engine(row, 3)?,
        tenant: tenant(row, 4)?,
        value: StoredValue { tag, bytes: row.get(6)? },
    })
}

pub(crate) fn put_page(into: &mut CachedStatement<'_>, row: &RecordPage) -> Result<usize> {
    into.execute(params![
        row.instance.raw(),
        row.kind as u8,
        row.first.raw(),
        &*row.engine,
        &*row.tenant,
        row.bytes,
    ])
}

pub(crate) fn page(row: &Row<'_>) -> Result<RecordPage> {
    Ok(RecordPage {
        instance: InstanceKey::new(row.get(0)?),
        kind: number(row, 1, RecordPageKind::from_number)?,
        first: ElementInstanceKey::new(row.get(2)?),
        engine: engine(row, 3)?,
        tenant: tenant(row, 4)?,
        bytes: row.get(5)?,
    })
}

pub(crate) fn insert_job(into: &mut CachedStatement<'_>, row: &JobRow) -> Result<usize> {
    into.execute(params![
        row.key.raw(),
        &*row.engine,
        &*row.tenant,
        row.instance.raw(),
        row.definition.raw(),
        row.element_instance.raw(),
        &*row.element,
        row.kind as u8,
        &*row.job_type,
        row.state as u8,
        row.retries_left,
        row.priority,
        row.exclusive,
        row.due_at.map(Timestamp::as_ms),
        row.lock_session,
        row.lock_worker.as_deref(),
        row.lock_until.map(Timestamp::as_ms),
        row.attempt,
        row.activations,
        row.failure.as_deref(),
        row.created_at.as_ms(),
        &*row.topic,
        row.category.as_deref(),
        row.limit_key.as_deref(),
        row.batch.map(BatchKey::raw),
        row.payload,
        row.failure_details.as_deref(),
        row.failed_element.as_deref(),
    ])
}

pub(crate) fn job(row: &Row<'_>) -> Result<JobRow> {
    Ok(JobRow {
        key: JobKey::new(row.get(0)?),
        engine: engine(row, 1)?,
        tenant: tenant(row, 2)?,
        instance: InstanceKey::new(row.get(3)?),
        definition: DefinitionKey::new(row.get(4)?),
        element_instance: ElementInstanceKey::new(row.get(5)?),
        element: element(row, 6)?,
        kind: number(row, 7, JobKind::from_number)?,
        job_type: row.get(8)?,
        state: number(row, 9, JobState::from_number)?,
        retries_left: row.get(10)?,
        priority: row.get(11)?,
        exclusive: row.get(12)?,
        due_at: moment(row, 13)?,
        lock_session: row.get(14)?,
        lock_worker: row.get(15)?,
        lock_until: moment(row, 16)?,
        attempt: row.get(17)?,
        activations: row.get(18)?,
        failure: row.get(19)?,
        created_at: Timestamp::from_ms(row.get(20)?),
        topic: row.get(21)?,
        category: row.get(22)?,
        limit_key: row.get(23)?,
        batch: row.get::<_, Option<i64>>(24)?.map(BatchKey::new),
        payload: row.get(25)?,
        failure_details: row.get(26)?,
        failed_element: row.get::<_, Option<Arc<str>>>(27)?.map(ElementId::new),
    })
}

pub(crate) fn insert_user_task(into: &mut CachedStatement<'_>, row: &UserTaskRow) -> Result<usize> {
    into.execute(params![
        row.key.raw(),
        &*row.engine,
        &*row.tenant,
        row.instance.raw(),
        row.definition.raw(),
        row.element_instance.raw(),
        &*row.element,
        row.name.as_deref(),
        row.assignee.as_deref(),
        row.candidate_groups.join(","),
        row.candidate_users.join(","),
        row.due_at.map(Timestamp::as_ms),
        row.priority,
        row.form_key.as_deref(),
        row.created_at.as_ms(),
    ])
}

pub(crate) fn user_task(row: &Row<'_>) -> Result<UserTaskRow> {
    Ok(UserTaskRow {
        key: UserTaskKey::new(row.get(0)?),
        engine: engine(row, 1)?,
        tenant: tenant(row, 2)?,
        instance: InstanceKey::new(row.get(3)?),
        definition: DefinitionKey::new(row.get(4)?),
        element_instance: ElementInstanceKey::new(row.get(5)?),
        element: element(row, 6)?,
        name: row.get(7)?,
        assignee: row.get(8)?,
        candidate_groups: list(row, 9)?,
        candidate_users: list(row, 10)?,
        due_at: moment(row, 11)?,
        priority: row.get(12)?,
        form_key: row.get(13)?,
        created_at: Timestamp::from_ms(row.get(14)?),
    })
}

pub(crate) fn insert_incident(into: &mut CachedStatement<'_>, row: &IncidentRow) -> Result<usize> {
    into.execute(params![
        row.key.raw(),
        &*row.engine,
        &*row.tenant,
        row.instance.raw(),
        row.definition.raw(),
        row.element_instance.raw(),
        &*row.element,
        row.job.map(JobKey::raw),
        &*row.kind,
        &*row.message,
        row.created_at.as_ms(),
        row.cause.raw(),
        row.root_cause.raw(),
        row.configuration.as_deref(),
        row.annotation.as_deref(),
    ])
}

pub(crate) fn incident(row: &Row<'_>) -> Result<IncidentRow> {
    Ok(IncidentRow {
        key: IncidentKey::new(row.get(0)?),
        engine: engine(row, 1)?,
        tenant: tenant(row, 2)?,
        instance: InstanceKey::new(row.get(3)?),
        definition: DefinitionKey::new(row.get(4)?),
        element_instance: ElementInstanceKey::new(row.get(5)?),
        element: element(row, 6)?,
        job: row.get::<_, Option<i64>>(7)?.map(JobKey::new),
        kind: row.get(8)?,
        message: row.get(9)?,
        created_at: Timestamp::from_ms(row.get(10)?),
        cause: IncidentKey::new(row.get(11)?),
        root_cause: IncidentKey::new(row.get(12)?),
        configuration: row.get(13)?,
        annotation: row.get(14)?,
    })
}

/// A row of an index-organised table keeps about a thousand bytes in its page of four thousand;
/// the other columns need the difference.
pub(crate) const HISTORY_PART_BYTES: usize = 900;

pub(crate) fn insert_history(into: &mut CachedStatement<'_>, row: &HistoryRow) -> Result<usize> {
    let mut rest = &*row.events;
    for part in 0_i64.. {
        let (events, after) = rest.split_at(rest.len().min(HISTORY_PART_BYTES));
        into.execute(params![
            row.instance.raw(),
            row.rev,
            part,
            &*row.engine,
            &*row.tenant,
            row.at.as_ms(),
            events,
        ])?;
        rest = after;
        if rest.is_empty() {
            break;
        }
    }
    Ok(1)
}

/// One part of a stretch, and which.
pub(crate) fn history_part(row: &Row<'_>) -> Result<(i64, HistoryRow)> {
    let part = row.get(2)?;
    let row = HistoryRow {
        instance: InstanceKey::new(row.get(0)?),
        rev: row.get(1)?,
        engine: engine(row, 3)?,
        tenant: tenant(row, 4)?,
        at: Timestamp::from_ms(row.get(5)?),
        events: row.get(6)?,
    };
    Ok((part, row))
}

pub(crate) fn insert_ended(into: &mut CachedStatement<'_>, row: &EndedRow) -> Result<usize> {
    into.execute(params![
        row.key.raw(),
        &*row.engine,
        &*row.tenant,
        row.definition.raw(),
        row.business_key.as_deref(),
        row.completed,
        row.started_at.as_ms(),
        row.ended_at.as_ms(),
        row.variables,
        row.removal_at.map(Timestamp::as_ms),
    ])
}

pub(crate) fn ended(row: &Row<'_>) -> Result<EndedRow> {
    Ok(EndedRow {
        key: InstanceKey::new(row.get(0)?),
        engine: engine(row, 1)?,
        tenant: tenant(row, 2)?,
        definition: DefinitionKey::new(row.get(3)?),
        business_key: row.get(4)?,
        completed: row.get(5)?,
        started_at: Timestamp::from_ms(row.get(6)?),
        ended_at: Timestamp::from_ms(row.get(7)?),
        variables: row.get(8)?,
        caller: instance_key(row, 9)?,
        root: instance_key(row, 10)?,
        removal_at: moment(row, 11)?,
    })
}

pub(crate) fn insert_definition(
    into: &mut CachedStatement<'_>,
    row: &DefinitionRow,
) -> Result<usize> {
    into.execute(params![
        row.key.raw(),
        &*row.engine,
        &*row.tenant,
        &*row.process_id,
        row.version,
        row.deployment.raw(),
        &*row.resource_name,
        row.checksum,
        &*row.dialect,
        row.checks,
        row.deployed_at.as_ms(),
        row.suspended,
    ])
}

pub(crate) fn definition(row: &Row<'_>) -> Result<DefinitionRow> {
    Ok(DefinitionRow {
        key: DefinitionKey::new(row.get(0)?),
        engine: engine(row, 1)?,
        tenant: tenant(row, 2)?,
        process_id: ProcessId::new(row.get::<_, Arc<str>>(3)?),
        version: row.get(4)?,
        deployment: DeploymentKey::new(row.get(5)?),
        resource_name: row.get(6)?,
        checksum: row.get(7)?,
        dialect: row.get(8)?,
        checks: row.get(9)?,
        deployed_at: Timestamp::from_ms(row.get(10)?),
        suspended: row.get(11)?,
        is_deleted: row.get(12)?,
    })
}

pub(crate) fn insert_decision(into: &mut CachedStatement<'_>, row: &DecisionRow) -> Result<usize> {
    into.execute(params![
        row.key.0,
        &*row.engine,
        &*row.tenant,
        &*row.decision_id,
        &*row.name,
        row.version,
        row.version_tag.as_deref(),
        row.requirements.key.0,
        &*row.requirements.id,
        &*row.requirements.name,
        row.requirements.version,
        row.deployment.raw(),
        &*row.resource_name,
        row.checksum,
        &*row.dialect,
        row.deployed_at.as_ms(),
    ])
}

pub(crate) fn decision(row: &Row<'_>) -> Result<DecisionRow> {
    Ok(DecisionRow {
        key: DecisionKey(row.get(0)?),
        engine: engine(row, 1)?,
        tenant: tenant(row, 2)?,
        decision_id: row.get(3)?,
        name: row.get(4)?,
        version: row.get(5)?,
        version_tag: row.get(6)?,
        requirements: Requirements {
            key: RequirementsKey(row.get(7)?),
            id: row.get(8)?,
            name: row.get(9)?,
            version: row.get(10)?,
        },
        deployment: DeploymentKey::new(row.get(11)?),
        resource_name: row.get(12)?,
        checksum: row.get(13)?,
        dialect: row.get(14)?,
        deployed_at: Timestamp::from_ms(row.get(15)?),
        is_deleted: row.get(16)?,
    })
}

pub(crate) fn node(row: &Row<'_>) -> Result<NodeRow> {
    Ok(NodeRow {
        node: NodeNumber(row.get(0)?),
        session: row.get(1)?,
        name: row.get(2)?,
        beat: row.get(3)?,
        seen_at: Timestamp::from_ms(row.get(4)?),
        settings_seen: row.get(5)?,
        profile: profile(row, 6)?,
    })
}

fn profile(row: &Row<'_>, column: usize) -> Result<NodeProfile> {
    let bytes: Vec<u8> = row.get(column)?;
    decode_profile(&bytes).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Blob, Box::new(error))
    })
}

pub(crate) fn moment(row: &Row<'_>, column: usize) -> Result<Option<Timestamp>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Timestamp::from_ms))
}

pub(crate) fn engine(row: &Row<'_>, column: usize) -> Result<EngineName> {
    Ok(EngineName::new(row.get::<_, Arc<str>>(column)?))
}

pub(crate) fn tenant(row: &Row<'_>, column: usize) -> Result<TenantId> {
    Ok(TenantId::new(row.get::<_, Arc<str>>(column)?))
}

pub(crate) fn element(row: &Row<'_>, column: usize) -> Result<ElementId> {
    Ok(ElementId::new(row.get::<_, Arc<str>>(column)?))
}

fn instance_key(row: &Row<'_>, column: usize) -> Result<Option<InstanceKey>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(InstanceKey::new))
}

fn list(row: &Row<'_>, column: usize) -> Result<Vec<Arc<str>>> {
    let joined: Arc<str> = row.get(column)?;
    Ok(joined.split(',').filter(|part| !part.is_empty()).map(Into::into).collect())
}

/// A number that stands for one of a closed set; any other is damage.
pub(crate) fn number<T>(
    row: &Row<'_>,
    column: usize,
    known: impl Fn(u8) -> Option<T>,
) -> Result<T> {
    let stored: i64 = row.get(column)?;
    let unknown = rusqlite::Error::IntegralValueOutOfRange(column, stored);
    u8::try_from(stored).ok().and_then(known).ok_or(unknown)
}
