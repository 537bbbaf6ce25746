//! What a node wants to find, asked of the store.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;
use std::time::Duration;

use orloj_store::{
    CalledBy, Channel, DefinitionFilter, DefinitionRow, Error, InstanceFilter, JobDefinitionChange,
    JobDefinitionFilter, JobDefinitionRow, JobFilter, JobKind, JobOrder, JobRow, JobState,
    MessageKey, MessageQuery, MessageRow, PAGE_ROWS_MAX, Page, StartKind, StartQuery, StartRow,
    Store, SubscriptionKind, SubscriptionQuery, SubscriptionRow,
};
use orloj_types::{
    DefinitionKey, DeploymentKey, EngineName, InstanceKey, JobDefinitionKey, ProcessId, TenantId,
    Timestamp,
};

use crate::definitions::{Definitions, definition_rows, suspends_jobs};
use crate::job_rows;
use crate::node::chores::{Suspension, SuspensionOf, SuspensionScope};
use crate::node::{Find, Found, NEXT_MESSAGES_MAX, Receivers};

/// Between two looks whether all nodes have seen new settings.
const SEEN_PAUSE: Duration = Duration::from_millis(20);
const SEEN_LOOKS_MAX: usize = 500;
/// Of a hierarchy, and jobs of one instance, among which one is looked for that may overtake: a
/// look shall not cost more than the jobs it helps.
const HIERARCHY_INSTANCES_MAX: u32 = 50;
const PARKED_JOBS_MAX: u32 = 64;

pub(super) async fn look_up(
    store: &dyn Store,
    definitions: &Definitions,
    find: Find,
) -> Result<Found, Error> {
    fn or_nothing<T>(found: Option<T>, then: impl FnOnce(T) -> Found) -> Found {
        found.map_or(Found::Nothing, then)
    }
    Ok(match find {
        Find::Job(key) => or_nothing(store.job(key).await?, |row| Found::Job(Box::new(row))),
        Find::Incident(key) => {
            or_nothing(store.incident(key).await?, |row| Found::Instance(row.instance))
        }
        Find::UserTask(key) => {
            or_nothing(store.user_task(key).await?, |row| Found::Instance(row.instance))
        }
        Find::Scope(key) => or_nothing(store.instance_of(key).await?, Found::Instance),
        Find::Ended(key) => {
            or_nothing(store.ended_instance(key).await?, |row| Found::Ended(Box::new(row)))
        }
        Find::Subscription(key) => {
            or_nothing(store.subscription(key).await?, |row| Found::Instance(row.instance))
        }
        Find::Message(key) => {
            or_nothing(store.message(key).await?, |row| Found::Message(Box::new(row)))
        }
        Find::Fit(channel, now) => or_nothing(store.fit(channel, now).await?, Found::Fit),
        Find::Fits { now, after, limit } => Found::Fits(store.fits(now, after, limit).await?),
        Find::Receivers { channel, message_id, with_subscriptions, now } => {
            let found = receivers(store, channel, message_id, with_subscriptions, now).await?;
            Found::Receivers(Box::new(found))
        }
        Find::Subscriptions(query) => Found::Subscriptions(store.subscriptions(query).await?),
        Find::LastSignal(name) => {
            let last = store.last_subscription(SubscriptionKind::Signal, name).await?;
            Found::LastSignal(last)
        }
        Find::Settings => {
            let stored = store.settings().await?;
            definitions.know_tenants(&stored.moved);
            Found::Settings(Box::new(stored))
        }
        Find::Untaken { offset, limit } => Found::Untaken(untaken(store, offset, limit).await?),
        Find::Parked { instance, over_hierarchies } => {
            parked(store, instance, over_hierarchies).await?
        }
        Find::Starts(query) => Found::Starts(store.starts(query).await?),
        Find::StartsBy(message, now) => Found::Candidates(starts_by(store, message, now).await?),
        Find::StartsNext { engine, tenant, process, key, now } => {
            let found = starts_next(store, engine, tenant, &process, &key, now).await?;
            Found::Candidates(found)
        }
        Find::Batch(key) => or_nothing(store.batch(key).await?, |row| Found::Batch(Box::new(row))),
        Find::BatchProgress(key) => match store.batch(key).await? {
            None => Found::Nothing,
            Some(batch) => {
                let filter = JobFilter {
                    batch: Some(key),
                    kinds: vec![JobKind::BatchPart],
                    ..JobFilter::default()
                };
                let parts_left = store.count_jobs(filter).await?;
                Found::BatchProgress { batch: Box::new(batch), parts_left }
            }
        },
        Find::Jobs(filter, page) => Found::Jobs(job_rows::list(store, *filter, page).await?),
        Find::Instances(definition, page) => {
            let filter =
                InstanceFilter { definition: Some(definition), ..InstanceFilter::default() };
            let rows = store.instances(filter, page).await?;
            Found::Instances(rows.into_iter().map(|row| row.key).collect())
        }
        Find::Prune(query) => {
            let what = query.what.clone();
            Found::Pruned((what, store.prune(query).await?))
        }
        Find::TimesToLive => Found::TimesToLive(definitions.times_to_live().await?),
        Find::SetBatchRemoval { batches, at } => {
            Found::Count(store.set_batch_removal(batches, at).await?)
        }
        Find::SetRemoval { instances, at } => Found::Count(store.set_removal(instances, at).await?),
        Find::Suspend(suspension) => suspend(store, &suspension).await?,
        Find::SettingsSeen(version) => {
            settings_seen(store, version).await?;
            Found::Nothing
        }
        Find::SettleTenants { version, deployments, now, logs_chores } => {
            if !settings_seen(store, version).await? {
                return Ok(Found::NotYet);
            }
            for deployment in deployments {
                store.settle_deployment_tenant(deployment, now, logs_chores).await?;
            }
            Found::Nothing
        }
        Find::Broadcasts { limit } => Found::Broadcasts(store.broadcasts(limit).await?),
        Find::ExpireMessages { now, limit } => {
            Found::Count(store.expire_messages(now, limit).await?)
        }
    })
}

/// Ready jobs of the engine's own that nobody has locked, each with its deployment.
async fn untaken(
    store: &dyn Store,
    offset: u32,
    limit: u32,
) -> Result<Vec<(JobRow, Option<DeploymentKey>)>, Error> {
    // The empty type is that of the engine's own; in this order an index has them.
    let filter = JobFilter {
        states: vec![JobState::Ready],
        is_locked: Some(false),
        job_type: Some("".into()),
        order: JobOrder::NextFirst,
        offset,
        ..JobFilter::default()
    };
    let jobs = store.jobs(filter, Page { before: None, limit }).await?;
    let mut deployments: BTreeMap<DefinitionKey, Option<DeploymentKey>> = BTreeMap::new();
    for job in &jobs {
        if let Entry::Vacant(place) = deployments.entry(job.definition) {
            place.insert(store.definition(job.definition).await?.map(|row| row.deployment));
        }
    }
    let of = |job: &JobRow| deployments.get(&job.definition).copied().flatten();
    Ok(jobs
        .into_iter()
        .map(|job| {
            let of = of(&job);
            (job, of)
        })
        .collect())
}

/// Exclusive jobs that wait in the queue of an instance, or of its hierarchy.
async fn parked(
    store: &dyn Store,
    instance: InstanceKey,
    over_hierarchies: bool,
) -> Result<Found, Error> {
    let (mut queue, mut instances) = (instance, vec![instance]);
    if over_hierarchies {
        let loaded = store.load(vec![instance]).await?;
        queue = loaded.first().and_then(|loaded| loaded.row.root).unwrap_or(instance);
        let page = Page { before: None, limit: HIERARCHY_INSTANCES_MAX };
        let below = store.called_instances(CalledBy::Root(queue), page).await?;
        instances = below.iter().map(|row| row.key).chain([queue]).collect();
    }
    let mut jobs = Vec::new();
    for instance in instances {
        let filter = JobFilter {
            instance: Some(instance),
            states: vec![JobState::Parked],
            order: JobOrder::OldestFirst,
            ..JobFilter::default()
        };
        jobs.extend(store.jobs(filter, Page { before: None, limit: PARKED_JOBS_MAX }).await?);
    }
    Ok(Found::Parked { queue, jobs })
}

async fn receivers(
    store: &dyn Store,
    channel: Channel,
    message_id: Option<Arc<str>>,
    with_subscriptions: bool,
    now: Timestamp,
) -> Result<Receivers, Error> {
    let mut found = Receivers::default();
    if let Some(id) = message_id.filter(|id| !id.is_empty()) {
        let (channel, message_id) = (channel.clone(), Some(id));
        let (not_taken_by, after) = (None, None);
        let query = MessageQuery { channel, message_id, not_taken_by, now, after, limit: 1 };
        found.is_known = !store.messages(query).await?.is_empty();
    }
    let engine = channel.engine.clone();
    found.starts =
        starts(store, engine, channel.tenant.clone(), Some(channel.name.clone())).await?;
    if with_subscriptions {
        found.subscriptions = first_waits(store, channel).await?;
    }
    Ok(found)
}

/// Of each process the one that has waited longest: a message goes to a process once.
async fn first_waits(
    store: &dyn Store,
    channel: Channel,
) -> Result<Vec<(SubscriptionRow, ProcessId)>, Error> {
    let mut query = SubscriptionQuery {
        engine: channel.engine,
        tenant: Some(channel.tenant),
        kind: SubscriptionKind::Message,
        name: Some(channel.name),
        correlation_key: Some(channel.correlation_key),
        instance: None,
        business_key: None,
        after: None,
        limit: PAGE_ROWS_MAX,
    };
    let mut processes: BTreeMap<DefinitionKey, Option<ProcessId>> = BTreeMap::new();
    let mut found: Vec<(SubscriptionRow, ProcessId)> = Vec::new();
    loop {
        let page = store.subscriptions(query.clone()).await?;
        query.after = page.last().map(|row| row.key);
        let is_last = page.len() < PAGE_ROWS_MAX as usize;
        for row in page {
            let process = match processes.entry(row.definition) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => {
                    let definition = store.definition(row.definition).await?;
                    unknown.insert(definition.map(|row| row.process_id))
                }
            };
            let Some(process) = process else { continue };
            if found.iter().all(|(_, known)| known != process) {
                found.push((row, process.clone()));
            }
        }
        if is_last {
            return Ok(found);
        }
    }
}

async fn starts_by(
    store: &dyn Store,
    message: MessageKey,
    now: Timestamp,
) -> Result<Vec<(StartRow, MessageRow)>, Error> {
    let message = store.message(message).await?.filter(|row| row.expires_at > now);
    let Some(message) = message else { return Ok(Vec::new()) };
    let (engine, tenant) = (message.engine.clone(), message.tenant.clone());
    let rows = starts(store, engine, tenant, Some(message.name.clone())).await?;
    // A process gets a message once, and who waits comes before those who could begin.
    let waits = first_waits(store, message.channel()).await?;
    let is_free = |row: &StartRow| waits.iter().all(|(_, process)| *process != row.process_id);
    Ok(rows.into_iter().filter(is_free).map(|row| (row, message.clone())).collect())
}

async fn starts_next(
    store: &dyn Store,
    engine: EngineName,
    tenant: TenantId,
    process: &ProcessId,
    key: &Arc<str>,
    now: Timestamp,
) -> Result<Vec<(StartRow, MessageRow)>, Error> {
    let mut found = Vec::new();
    let rows = starts(store, engine.clone(), tenant.clone(), None).await?;
    for row in rows.into_iter().filter(|row| row.process_id == *process) {
        let channel = Channel {
            engine: engine.clone(),
            tenant: tenant.clone(),
            name: row.name.clone(),
            correlation_key: key.clone(),
        };
        let limit = NEXT_MESSAGES_MAX;
        let (message_id, not_taken_by) = (None, Some(process.clone()));
        let query = MessageQuery { channel, message_id, not_taken_by, now, after: None, limit };
        let messages = store.messages(query).await?;
        found.extend(messages.into_iter().map(|message| (row.clone(), message)));
    }
    found.sort_by_key(|(_, message)| message.key);
    Ok(found)
}

/// All start events that wait for messages, or for those of one name.
async fn starts(
    store: &dyn Store,
    engine: EngineName,
    tenant: TenantId,
    name: Option<Arc<str>>,
) -> Result<Vec<StartRow>, Error> {
    let mut found: Vec<StartRow> = Vec::new();
    loop {
        let query = StartQuery {
            engine: engine.clone(),
            tenant: Some(tenant.clone()),
            kind: StartKind::Message,
            name: name.clone(),
            after: found.last().map(|row| (row.definition, row.event.clone())),
            limit: PAGE_ROWS_MAX,
        };
        let page = store.starts(query).await?;
        let is_last = page.len() < PAGE_ROWS_MAX as usize;
        found.extend(page);
        if is_last {
            return Ok(found);
        }
    }
}

/// Writes what is set about definitions and job definitions, and tells which they are.
async fn suspend(store: &dyn Store, suspension: &Suspension) -> Result<Found, Error> {
    let definitions = match &suspension.of {
        SuspensionOf::Definition(key) | SuspensionOf::JobsOfDefinition(key) => {
            store.definition(DefinitionKey::new(*key)).await?.into_iter().collect()
        }
        SuspensionOf::Process { id, tenant } | SuspensionOf::JobsOfProcess { id, tenant } => {
            versions(store, id, tenant.as_deref()).await?
        }
        SuspensionOf::JobDefinition(_) | SuspensionOf::Batch(_) => Vec::new(),
    };
    let mut scope = SuspensionScope {
        definitions: definitions.iter().map(|row| row.key).collect(),
        job_definitions: Vec::new(),
        version: 0,
    };
    match suspension.of {
        SuspensionOf::JobDefinition(key) => {
            let found = store.job_definition(JobDefinitionKey::new(key)).await?;
            let Some(row) = found else { return Ok(Found::Nothing) };
            scope.job_definitions.push(row);
        }
        SuspensionOf::Batch(key) => {
            let filter = JobDefinitionFilter {
                definition: Some(DefinitionKey::new(0)),
                configuration: Some(key.to_string().into()),
                ..JobDefinitionFilter::default()
            };
            scope.job_definitions = job_definitions(store, filter).await?;
            if scope.job_definitions.is_empty() {
                return Ok(Found::Nothing);
            }
        }
        _ if scope.definitions.is_empty() => return Ok(Found::Nothing),
        _ => {
            let with_jobs = |row: &&DefinitionRow| {
                !suspension.is_of_definitions() || suspends_jobs(&row.dialect)
            };
            for row in definitions.iter().filter(with_jobs) {
                let definition = Some(row.key);
                let filter = JobDefinitionFilter { definition, ..JobDefinitionFilter::default() };
                let rows = job_definitions(store, filter).await?;
                scope.job_definitions.extend(rows);
            }
        }
    }
    let suspended = suspension.suspended;
    if suspension.is_of_definitions() {
        let version = store.set_definition_suspended(scope.definitions.clone(), suspended).await?;
        scope.version = version.unwrap_or_default();
    }
    for row in &scope.job_definitions {
        let change = JobDefinitionChange { suspended: Some(suspended), priority: None };
        let version = store.set_job_definition(row.key, change).await?;
        scope.version = scope.version.max(version.unwrap_or_default());
    }
    Ok(Found::Suspending(Box::new(scope)))
}

/// Until every node goes by these settings. One that does not for so long is fenced meanwhile, or
/// will see them before anything else it does. False: it takes too long.
async fn settings_seen(store: &dyn Store, version: i64) -> Result<bool, Error> {
    for _ in 0..SEEN_LOOKS_MAX {
        let nodes = store.nodes().await?;
        if nodes.iter().all(|node| node.settings_seen >= version) {
            return Ok(true);
        }
        tokio::time::sleep(SEEN_PAUSE).await;
    }
    Ok(false)
}

/// All versions of a process.
async fn versions(
    store: &dyn Store,
    id: &str,
    tenant: Option<&str>,
) -> Result<Vec<DefinitionRow>, Error> {
    let filter = DefinitionFilter {
        process_id: Some(id.into()),
        tenant: tenant.map(TenantId::new),
        ..DefinitionFilter::default()
    };
    definition_rows(store, &filter).await
}

async fn job_definitions(
    store: &dyn Store,
    filter: JobDefinitionFilter,
) -> Result<Vec<JobDefinitionRow>, Error> {
    let mut found: Vec<JobDefinitionRow> = Vec::new();
    loop {
        let before = found.last().map(|row| row.key.raw());
        let page = Page { before, limit: PAGE_ROWS_MAX };
        let rows = store.job_definitions(filter.clone(), page).await?;
        let is_last = rows.len() < PAGE_ROWS_MAX as usize;
        found.extend(rows);
        if is_last {
            return Ok(found);
        }
    }
}
