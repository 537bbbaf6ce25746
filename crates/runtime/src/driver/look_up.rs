//! What a node wants to find, asked of the store.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_store::{
    Channel, Error, MessageKey, MessageQuery, MessageRow, PAGE_ROWS_MAX, StartKind, StartQuery,
    StartRow, Store, SubscriptionKind, SubscriptionQuery,
};
use orloj_types::{EngineName, ProcessId, TenantId, Timestamp};

use crate::node::{Find, Found, Receivers};

pub(super) async fn look_up(store: &dyn Store, find: Find) -> Result<Found, Error> {
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
        Find::Starts(query) => Found::Starts(store.starts(query).await?),
        Find::StartsBy(message, now) => Found::Candidates(starts_by(store, message, now).await?),
        Find::StartsNext { engine, tenant, process, key, now } => {
            let found = starts_next(store, engine, tenant, &process, &key, now).await?;
            Found::Candidates(found)
        }
        Find::DueStarts { now, limit } => Found::Starts(store.due_starts(now, limit).await?),
        Find::Broadcasts { limit } => Found::Broadcasts(store.broadcasts(limit).await?),
        Find::ExpireMessages { now, limit } => {
            Found::Count(store.expire_messages(now, limit).await?)
        }
    })
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
        let query = MessageQuery { channel, message_id, now, after: None, limit: 1 };
        found.is_known = !store.messages(query).await?.is_empty();
    }
    let engine = channel.engine.clone();
    found.starts =
        starts(store, engine, channel.tenant.clone(), Some(channel.name.clone())).await?;
    if with_subscriptions {
        let query = SubscriptionQuery {
            engine: channel.engine,
            tenant: Some(channel.tenant),
            kind: SubscriptionKind::Message,
            name: Some(channel.name),
            correlation_key: Some(channel.correlation_key),
            instance: None,
            after: None,
            limit: PAGE_ROWS_MAX,
        };
        let mut processes: BTreeMap<_, Option<ProcessId>> = BTreeMap::new();
        for row in store.subscriptions(query).await? {
            let known = processes.get(&row.definition).cloned();
            let process = match known {
                Some(process) => process,
                None => {
                    let definition = store.definition(row.definition).await?;
                    let process = definition.map(|row| row.process_id);
                    processes.insert(row.definition, process.clone());
                    process
                }
            };
            found.subscriptions.extend(process.map(|process| (row, process)));
        }
    }
    Ok(found)
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
    Ok(rows.into_iter().map(|row| (row, message.clone())).collect())
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
        let limit = PAGE_ROWS_MAX;
        let query = MessageQuery { channel, message_id: None, now, after: None, limit };
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
