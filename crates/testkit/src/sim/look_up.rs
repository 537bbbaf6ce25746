//! What nodes look for, found in the simulated store.

use std::sync::Arc;

use orloj::node::{Find, Found, NEXT_MESSAGES_MAX, Receivers};
use orloj_store::{
    Channel, Error, InstanceFilter, JobFilter, JobKind, JobRow, JobState, MessageKey, MessageQuery,
    MessageRow, PAGE_ROWS_MAX, StartKind, StartQuery, StartRow, SubscriptionKind,
    SubscriptionQuery, SubscriptionRow,
};
use orloj_types::{EngineName, ProcessId, TenantId, Timestamp};

use crate::sim_store::Core;

pub(super) fn look_up(store: &mut Core, find: &Find) -> Result<Found, Error> {
    fn or_nothing<T>(found: Option<T>, then: impl FnOnce(T) -> Found) -> Found {
        found.map_or(Found::Nothing, then)
    }
    Ok(match find {
        Find::Job(key) => or_nothing(store.jobs.get(key), |row| Found::Job(Box::new(row.clone()))),
        Find::Incident(key) => {
            or_nothing(store.incidents.get(key), |row| Found::Instance(row.instance))
        }
        Find::UserTask(key) => {
            or_nothing(store.user_tasks.get(key), |row| Found::Instance(row.instance))
        }
        Find::Scope(key) => or_nothing(store.instance_of(*key), Found::Instance),
        Find::Ended(key) => {
            or_nothing(store.ended.get(key), |row| Found::Ended(Box::new(row.clone())))
        }
        Find::Subscription(key) => {
            or_nothing(store.subscriptions.get(key), |row| Found::Instance(row.instance))
        }
        Find::Message(key) => {
            or_nothing(store.messages.get(key), |row| Found::Message(Box::new(row.clone())))
        }
        Find::Fit(channel, now) => or_nothing(store.fit(channel, *now), Found::Fit),
        Find::Fits { now, after, limit } => Found::Fits(store.list_fits(*now, *after, *limit)),
        Find::Receivers { channel, message_id, with_subscriptions, now } => {
            let found = receivers(store, channel, message_id.as_ref(), *with_subscriptions, *now);
            Found::Receivers(Box::new(found))
        }
        Find::Subscriptions(query) => Found::Subscriptions(store.list_subscriptions(query)),
        Find::LastSignal(name) => {
            Found::LastSignal(store.last_subscription(SubscriptionKind::Signal, name))
        }
        Find::Settings => Found::Settings(Box::new(store.stored_settings())),
        Find::Untaken { offset, limit } => {
            let ready = store.jobs.values().filter(|job| {
                job.state == JobState::Ready && !job.is_locked() && !job.kind.is_for_workers()
            });
            let page = ready.skip(*offset as usize).take(*limit as usize);
            let deployment =
                |job: &JobRow| Some(store.definitions.get(&job.definition)?.deployment);
            Found::Untaken(page.map(|job| (job.clone(), deployment(job))).collect())
        }
        Find::Parked { instance, over_hierarchies } => {
            let root = |key| store.instances.get(&key).and_then(|row| row.root).unwrap_or(key);
            let queue = if *over_hierarchies { root(*instance) } else { *instance };
            let is_of = |job: &&JobRow| match over_hierarchies {
                true => root(job.instance) == queue,
                false => job.instance == queue,
            };
            let parked = store.jobs.values().filter(|job| job.state == JobState::Parked);
            Found::Parked { queue, jobs: parked.filter(is_of).cloned().collect() }
        }
        Find::Starts(query) => Found::Starts(store.list_starts(query)),
        Find::StartsBy(message, now) => Found::Candidates(starts_by(store, *message, *now)),
        Find::StartsNext { engine, tenant, process, key, now } => {
            Found::Candidates(starts_next(store, engine, tenant, process, key, *now))
        }
        Find::Batch(key) => {
            or_nothing(store.batches.get(key), |row| Found::Batch(Box::new(row.clone())))
        }
        Find::BatchProgress(key) => or_nothing(store.batches.get(key), |row| {
            let filter = JobFilter {
                batch: Some(*key),
                kinds: vec![JobKind::BatchPart],
                ..JobFilter::default()
            };
            let parts_left = store.count_jobs(&filter);
            Found::BatchProgress { batch: Box::new(row.clone()), parts_left }
        }),
        Find::Jobs(filter, page) => Found::Jobs(store.list_jobs(filter, *page)),
        Find::Instances(definition, page) => {
            let filter =
                InstanceFilter { definition: Some(*definition), ..InstanceFilter::default() };
            let rows = store.list_instances(&filter, *page);
            Found::Instances(rows.into_iter().map(|row| row.key).collect())
        }
        Find::Prune(query) => Found::Pruned((query.what.clone(), store.prune(query)?)),
        // Their models say nothing about it.
        Find::TimesToLive => Found::TimesToLive(Vec::new()),
        Find::SetBatchRemoval { batches, at } => {
            Found::Count(store.set_batch_removal(batches, *at)?)
        }
        Find::SetRemoval { instances, at } => Found::Count(store.set_removal(instances, *at)?),
        // Nobody in this world suspends definitions.
        Find::Suspend(_) | Find::SettingsSeen(_) => Found::Nothing,
        Find::SettleTenants { version, deployments, now, logs_chores } => {
            if store.nodes().iter().any(|node| node.settings_seen < *version) {
                return Ok(Found::NotYet);
            }
            for deployment in deployments {
                store.settle_deployment_tenant(*deployment, *now, *logs_chores)?;
            }
            Found::Nothing
        }
        Find::Broadcasts { limit } => Found::Broadcasts(store.list_broadcasts(*limit)),
        Find::ExpireMessages { now, limit } => Found::Count(store.expire_messages(*now, *limit)?),
    })
}

fn receivers(
    store: &Core,
    channel: &Channel,
    message_id: Option<&Arc<str>>,
    with_subscriptions: bool,
    now: Timestamp,
) -> Receivers {
    let is_known = message_id.is_some_and(|id| {
        let (channel, message_id) = (channel.clone(), Some(id.clone()));
        let (not_taken_by, after) = (None, None);
        let query = MessageQuery { channel, message_id, not_taken_by, now, after, limit: 1 };
        !store.list_messages(&query).is_empty()
    });
    Receivers {
        is_known,
        subscriptions: if with_subscriptions { waits(store, channel) } else { Vec::new() },
        starts: starts(store, &channel.engine, &channel.tenant, Some(&channel.name)),
    }
}

/// With the ids of their processes.
fn waits(store: &Core, channel: &Channel) -> Vec<(SubscriptionRow, ProcessId)> {
    let query = SubscriptionQuery {
        engine: channel.engine.clone(),
        tenant: Some(channel.tenant.clone()),
        kind: SubscriptionKind::Message,
        name: Some(channel.name.clone()),
        correlation_key: Some(channel.correlation_key.clone()),
        instance: None,
        business_key: None,
        after: None,
        limit: PAGE_ROWS_MAX,
    };
    let rows = store.list_subscriptions(&query).into_iter();
    let with_process = rows.filter_map(|row| {
        let process = store.definitions.get(&row.definition)?.process_id.clone();
        Some((row, process))
    });
    with_process.collect()
}

fn starts_by(store: &Core, message: MessageKey, now: Timestamp) -> Vec<(StartRow, MessageRow)> {
    let message = store.messages.get(&message).filter(|row| row.expires_at > now);
    let Some(message) = message else { return Vec::new() };
    let rows = starts(store, &message.engine, &message.tenant, Some(&message.name));
    let waits = waits(store, &message.channel());
    let is_free = |row: &StartRow| waits.iter().all(|(_, process)| *process != row.process_id);
    rows.into_iter().filter(is_free).map(|row| (row, message.clone())).collect()
}

fn starts_next(
    store: &Core,
    engine: &EngineName,
    tenant: &TenantId,
    process: &ProcessId,
    key: &Arc<str>,
    now: Timestamp,
) -> Vec<(StartRow, MessageRow)> {
    let mut found = Vec::new();
    for row in starts(store, engine, tenant, None) {
        if row.process_id != *process {
            continue;
        }
        let channel = Channel {
            engine: engine.clone(),
            tenant: tenant.clone(),
            name: row.name.clone(),
            correlation_key: key.clone(),
        };
        let limit = NEXT_MESSAGES_MAX;
        let (message_id, not_taken_by) = (None, Some(process.clone()));
        let query = MessageQuery { channel, message_id, not_taken_by, now, after: None, limit };
        let messages = store.list_messages(&query).into_iter();
        found.extend(messages.map(|message| (row.clone(), message)));
    }
    found.sort_by_key(|(_, message)| message.key);
    found
}

fn starts(
    store: &Core,
    engine: &EngineName,
    tenant: &TenantId,
    name: Option<&Arc<str>>,
) -> Vec<StartRow> {
    store.list_starts(&StartQuery {
        engine: engine.clone(),
        tenant: Some(tenant.clone()),
        kind: StartKind::Message,
        name: name.cloned(),
        after: None,
        limit: PAGE_ROWS_MAX,
    })
}
