//! What nodes look for, found in the simulated store.

use std::sync::Arc;

use orloj::node::{Find, Found, Receivers};
use orloj_store::{
    Channel, Error, MessageKey, MessageQuery, MessageRow, PAGE_ROWS_MAX, StartKind, StartQuery,
    StartRow, SubscriptionKind, SubscriptionQuery,
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
        Find::Starts(query) => Found::Starts(store.list_starts(query)),
        Find::StartsBy(message, now) => Found::Candidates(starts_by(store, *message, *now)),
        Find::StartsNext { engine, tenant, process, key, now } => {
            Found::Candidates(starts_next(store, engine, tenant, process, key, *now))
        }
        Find::DueStarts { now, limit } => Found::Starts(store.due_starts(*now, *limit)),
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
        let query = MessageQuery { channel, message_id, now, after: None, limit: 1 };
        !store.list_messages(&query).is_empty()
    });
    let query = SubscriptionQuery {
        engine: channel.engine.clone(),
        tenant: Some(channel.tenant.clone()),
        kind: SubscriptionKind::Message,
        name: Some(channel.name.clone()),
        correlation_key: Some(channel.correlation_key.clone()),
        instance: None,
        after: None,
        limit: PAGE_ROWS_MAX,
    };
    let waits = if with_subscriptions { store.list_subscriptions(&query) } else { Vec::new() };
    let waits = waits.into_iter().filter_map(|row| {
        let process = store.definitions.get(&row.definition)?.process_id.clone();
        Some((row, process))
    });
    Receivers {
        is_known,
        subscriptions: waits.collect(),
        starts: starts(store, &channel.engine, &channel.tenant, Some(&channel.name)),
    }
}

fn starts_by(store: &Core, message: MessageKey, now: Timestamp) -> Vec<(StartRow, MessageRow)> {
    let message = store.messages.get(&message).filter(|row| row.expires_at > now);
    let Some(message) = message else { return Vec::new() };
    let rows = starts(store, &message.engine, &message.tenant, Some(&message.name));
    rows.into_iter().map(|row| (row, message.clone())).collect()
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
        let limit = PAGE_ROWS_MAX;
        let query = MessageQuery { channel, message_id: None, now, after: None, limit };
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
