//! Rows of the database as rows of the contract. Columns are read by their place in the table,
//! which never changes: later migrations only append.

use std::sync::Arc;

use orloj_store::format::decode_profile;
use orloj_store::{
    AssetKey, AssetKind, AssetRow, BroadcastKey, BroadcastRow, DecisionKey, DecisionRow,
    DefinitionRow, EndedRow, Error, Fit, HistoryRow, IncidentRow, InstanceRow, JobKind, JobRow,
    JobState, MessageKey, MessageRow, NodeRow, RecordPage, RecordPageKind, Requirements,
    RequirementsKey, StartKind, StartRow, SubscriptionKind, SubscriptionRow, UserTaskRow,
    VariableRow,
};
use orloj_types::{
    BatchKey, DefinitionKey, DeploymentKey, ElementId, ElementInstanceKey, EngineName, IncidentKey,
    InstanceKey, JobKey, NodeNumber, ProcessId, StoredValue, SubscriptionKey, TenantId, Timestamp,
    UserTaskKey, ValueTag,
};
use tokio_postgres::Row;
use tokio_postgres::types::FromSql;

use crate::error::damaged;

pub(crate) fn all<T>(
    rows: &[Row],
    read: impl Fn(&Columns<'_>) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    rows.iter().map(|row| read(&Columns(row))).collect()
}

pub(crate) fn first<T>(
    rows: &[Row],
    read: impl Fn(&Columns<'_>) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    rows.first().map(|row| read(&Columns(row))).transpose()
}

/// One row, by place.
pub(crate) struct Columns<'a>(&'a Row);

impl<'a> Columns<'a> {
    pub fn get<T: FromSql<'a>>(&self, at: usize) -> Result<T, Error> {
        self.0.try_get(at).map_err(|e| damaged("row", e))
    }

    pub fn text(&self, at: usize) -> Result<Arc<str>, Error> {
        Ok(self.get::<&str>(at)?.into())
    }

    pub fn text_or_null(&self, at: usize) -> Result<Option<Arc<str>>, Error> {
        Ok(self.get::<Option<&str>>(at)?.map(Into::into))
    }

    fn texts(&self, at: usize) -> Result<Vec<Arc<str>>, Error> {
        Ok(self.get::<Vec<&str>>(at)?.into_iter().map(Into::into).collect())
    }

    pub fn time(&self, at: usize) -> Result<Timestamp, Error> {
        Ok(Timestamp::from_ms(self.get(at)?))
    }

    pub fn time_or_null(&self, at: usize) -> Result<Option<Timestamp>, Error> {
        Ok(self.get::<Option<i64>>(at)?.map(Timestamp::from_ms))
    }

    fn instance_or_null(&self, at: usize) -> Result<Option<InstanceKey>, Error> {
        Ok(self.get::<Option<i64>>(at)?.map(InstanceKey::new))
    }

    /// A stored number whose names are known to the contract.
    pub fn named<T>(
        &self,
        at: usize,
        what: &str,
        from_number: fn(u8) -> Option<T>,
    ) -> Result<T, Error> {
        let number: i16 = self.get(at)?;
        let named = u8::try_from(number).ok().and_then(from_number);
        named.ok_or_else(|| damaged(what, format!("unknown number {number}")))
    }
}

/// Between the events and the caller the statement that loads instances tells its arms apart.
pub(crate) fn instance(row: &Columns<'_>) -> Result<InstanceRow, Error> {
    Ok(InstanceRow {
        key: InstanceKey::new(row.get(0)?),
        rev: row.get(1)?,
        engine: EngineName::new(row.text(2)?),
        tenant: TenantId::new(row.text(3)?),
        definition: DefinitionKey::new(row.get(4)?),
        business_key: row.text_or_null(5)?,
        record: row.get(6)?,
        events: row.get(7)?,
        caller: row.instance_or_null(9)?,
        root: row.instance_or_null(10)?,
    })
}

/// The second arm of the statement that loads instances, which says what is where.
pub(crate) fn loaded_variable(row: &Columns<'_>) -> Result<VariableRow, Error> {
    let number: i32 = row.get(1)?;
    let tag = u8::try_from(number).ok().and_then(ValueTag::from_number);
    let tag = tag.ok_or_else(|| damaged("variable", format!("unknown tag {number}")))?;
    Ok(VariableRow {
        instance: InstanceKey::new(row.get(0)?),
        scope: ElementInstanceKey::new(row.get(4)?),
        name: row.text(5)?,
        value: StoredValue::new(tag, row.get(6)?),
        engine: EngineName::new(row.text(2)?),
        tenant: TenantId::new(row.text(3)?),
    })
}

/// The third arm of the statement that loads instances, which says what is where.
pub(crate) fn loaded_page(row: &Columns<'_>) -> Result<RecordPage, Error> {
    let number: i32 = row.get(1)?;
    let kind = u8::try_from(number).ok().and_then(RecordPageKind::from_number);
    let kind = kind.ok_or_else(|| damaged("page", format!("unknown kind {number}")))?;
    Ok(RecordPage {
        instance: InstanceKey::new(row.get(0)?),
        kind,
        first: ElementInstanceKey::new(row.get(4)?),
        engine: EngineName::new(row.text(2)?),
        tenant: TenantId::new(row.text(3)?),
        bytes: row.get(6)?,
    })
}

pub(crate) fn job(row: &Columns<'_>) -> Result<JobRow, Error> {
    Ok(JobRow {
        key: JobKey::new(row.get(0)?),
        engine: EngineName::new(row.text(1)?),
        tenant: TenantId::new(row.text(2)?),
        instance: InstanceKey::new(row.get(3)?),
        definition: DefinitionKey::new(row.get(4)?),
        element_instance: ElementInstanceKey::new(row.get(5)?),
        element: ElementId::new(row.text(6)?),
        kind: row.named(7, "job kind", JobKind::from_number)?,
        job_type: row.text(8)?,
        state: row.named(9, "job state", JobState::from_number)?,
        retries_left: row.get(10)?,
        priority: row.get(11)?,
        exclusive: row.get(12)?,
        due_at: row.time_or_null(13)?,
        lock_session: row.get(14)?,
        lock_worker: row.text_or_null(15)?,
        lock_until: row.time_or_null(16)?,
        attempt: row.get(17)?,
        activations: row.get(18)?,
        failure: row.text_or_null(19)?,
        created_at: row.time(20)?,
        topic: row.text(21)?,
        category: row.text_or_null(22)?,
        limit_key: row.text_or_null(23)?,
        batch: row.get::<Option<i64>>(24)?.map(BatchKey::new),
        payload: row.get(25)?,
        failure_details: row.text_or_null(26)?,
        failed_element: row.text_or_null(27)?.map(ElementId::new),
    })
}

pub(crate) fn user_task(row: &Columns<'_>) -> Result<UserTaskRow, Error> {
    Ok(UserTaskRow {
        key: UserTaskKey::new(row.get(0)?),
        engine: EngineName::new(row.text(1)?),
        tenant: TenantId::new(row.text(2)?),
        instance: InstanceKey::new(row.get(3)?),
        definition: DefinitionKey::new(row.get(4)?),
        element_instance: ElementInstanceKey::new(row.get(5)?),
        element: ElementId::new(row.text(6)?),
        name: row.text_or_null(7)?,
        assignee: row.text_or_null(8)?,
        candidate_groups: row.texts(9)?,
        candidate_users: row.texts(10)?,
        due_at: row.time_or_null(11)?,
        priority: row.get(12)?,
        form_key: row.text_or_null(13)?,
        created_at: row.time(14)?,
    })
}

pub(crate) fn incident(row: &Columns<'_>) -> Result<IncidentRow, Error> {
    Ok(IncidentRow {
        key: IncidentKey::new(row.get(0)?),
        engine: EngineName::new(row.text(1)?),
        tenant: TenantId::new(row.text(2)?),
        instance: InstanceKey::new(row.get(3)?),
        definition: DefinitionKey::new(row.get(4)?),
        element_instance: ElementInstanceKey::new(row.get(5)?),
        element: ElementId::new(row.text(6)?),
        job: row.get::<Option<i64>>(7)?.map(JobKey::new),
        kind: row.text(8)?,
        message: row.text(9)?,
        created_at: row.time(10)?,
        cause: IncidentKey::new(row.get(11)?),
        root_cause: IncidentKey::new(row.get(12)?),
        configuration: row.text_or_null(13)?,
        annotation: row.text_or_null(14)?,
    })
}

pub(crate) fn history(row: &Columns<'_>) -> Result<HistoryRow, Error> {
    Ok(HistoryRow {
        instance: InstanceKey::new(row.get(0)?),
        rev: row.get(1)?,
        engine: EngineName::new(row.text(2)?),
        tenant: TenantId::new(row.text(3)?),
        at: row.time(4)?,
        events: row.get(5)?,
    })
}

pub(crate) fn ended(row: &Columns<'_>) -> Result<EndedRow, Error> {
    Ok(EndedRow {
        key: InstanceKey::new(row.get(0)?),
        engine: EngineName::new(row.text(1)?),
        tenant: TenantId::new(row.text(2)?),
        definition: DefinitionKey::new(row.get(3)?),
        business_key: row.text_or_null(4)?,
        completed: row.get(5)?,
        started_at: row.time(6)?,
        ended_at: row.time(7)?,
        variables: row.get(8)?,
        caller: row.instance_or_null(9)?,
        root: row.instance_or_null(10)?,
        removal_at: row.time_or_null(11)?,
    })
}

pub(crate) fn definition(row: &Columns<'_>) -> Result<DefinitionRow, Error> {
    let checksum: &[u8] = row.get(7)?;
    Ok(DefinitionRow {
        key: DefinitionKey::new(row.get(0)?),
        engine: EngineName::new(row.text(1)?),
        tenant: TenantId::new(row.text(2)?),
        process_id: ProcessId::new(row.text(3)?),
        version: row.get(4)?,
        deployment: DeploymentKey::new(row.get(5)?),
        resource_name: row.text(6)?,
        checksum: checksum.try_into().map_err(|e| damaged("checksum", e))?,
        dialect: row.text(8)?,
        checks: row.get(9)?,
        deployed_at: row.time(10)?,
        suspended: row.get(11)?,
        is_deleted: row.get(12)?,
    })
}

pub(crate) fn decision(row: &Columns<'_>) -> Result<DecisionRow, Error> {
    let checksum: &[u8] = row.get(13)?;
    Ok(DecisionRow {
        key: DecisionKey(row.get(0)?),
        engine: EngineName::new(row.text(1)?),
        tenant: TenantId::new(row.text(2)?),
        decision_id: row.text(3)?,
        name: row.text(4)?,
        version: row.get(5)?,
        version_tag: row.get::<Option<&str>>(6)?.map(Arc::from),
        requirements: Requirements {
            key: RequirementsKey(row.get(7)?),
            id: row.text(8)?,
            name: row.text(9)?,
            version: row.get(10)?,
        },
        deployment: DeploymentKey::new(row.get(11)?),
        resource_name: row.text(12)?,
        checksum: checksum.try_into().map_err(|e| damaged("checksum", e))?,
        dialect: row.text(14)?,
        deployed_at: row.time(15)?,
        is_deleted: row.get(16)?,
    })
}

pub(crate) fn asset(row: &Columns<'_>) -> Result<AssetRow, Error> {
    let checksum: &[u8] = row.get(9)?;
    Ok(AssetRow {
        key: AssetKey(row.get(0)?),
        engine: EngineName::new(row.text(1)?),
        tenant: TenantId::new(row.text(2)?),
        kind: row.named(3, "asset kind", AssetKind::from_number)?,
        asset_id: row.text(4)?,
        version: row.get(5)?,
        version_tag: row.text_or_null(6)?,
        deployment: DeploymentKey::new(row.get(7)?),
        resource_name: row.text(8)?,
        checksum: checksum.try_into().map_err(|e| damaged("checksum", e))?,
        deployed_at: row.time(10)?,
        is_deleted: row.get(11)?,
    })
}

pub(crate) fn subscription(row: &Columns<'_>) -> Result<SubscriptionRow, Error> {
    Ok(SubscriptionRow {
        key: SubscriptionKey::new(row.get(0)?),
        engine: EngineName::new(row.text(1)?),
        tenant: TenantId::new(row.text(2)?),
        instance: InstanceKey::new(row.get(3)?),
        definition: DefinitionKey::new(row.get(4)?),
        element_instance: ElementInstanceKey::new(row.get(5)?),
        event: ElementId::new(row.text(6)?),
        kind: row.named(7, "subscription kind", SubscriptionKind::from_number)?,
        name: row.text(8)?,
        correlation_key: row.text_or_null(9)?,
    })
}

pub(crate) fn start(row: &Columns<'_>) -> Result<StartRow, Error> {
    Ok(StartRow {
        definition: DefinitionKey::new(row.get(0)?),
        event: ElementId::new(row.text(1)?),
        engine: EngineName::new(row.text(2)?),
        tenant: TenantId::new(row.text(3)?),
        process_id: ProcessId::new(row.text(4)?),
        kind: row.named(5, "kind of start", StartKind::from_number)?,
        name: row.text(6)?,
    })
}

pub(crate) fn message(row: &Columns<'_>) -> Result<MessageRow, Error> {
    Ok(MessageRow {
        key: MessageKey::new(row.get(0)?),
        engine: EngineName::new(row.text(1)?),
        tenant: TenantId::new(row.text(2)?),
        name: row.text(3)?,
        correlation_key: row.text(4)?,
        message_id: row.text_or_null(5)?,
        variables: row.get(6)?,
        expires_at: row.time(7)?,
    })
}

pub(crate) fn fit(row: &Columns<'_>) -> Result<Fit, Error> {
    Ok(Fit {
        message: MessageKey::new(row.get(0)?),
        subscription: SubscriptionKey::new(row.get(1)?),
        instance: InstanceKey::new(row.get(2)?),
    })
}

pub(crate) fn broadcast(row: &Columns<'_>) -> Result<BroadcastRow, Error> {
    Ok(BroadcastRow {
        key: BroadcastKey::new(row.get(0)?),
        engine: EngineName::new(row.text(1)?),
        tenant: TenantId::new(row.text(2)?),
        name: row.text(3)?,
        variables: row.get(4)?,
        place: row.text(5)?,
    })
}

pub(crate) fn node(row: &Columns<'_>) -> Result<NodeRow, Error> {
    let number: i16 = row.get(0)?;
    Ok(NodeRow {
        node: NodeNumber(u16::try_from(number).map_err(|e| damaged("node number", e))?),
        session: row.get(1)?,
        name: row.get(2)?,
        beat: row.get(3)?,
        seen_at: row.time(4)?,
        settings_seen: row.get(5)?,
        profile: decode_profile(row.get(6)?)?,
    })
}
