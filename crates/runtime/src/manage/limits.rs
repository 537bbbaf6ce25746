//! Limits: how many jobs of a topic, a tenant or a key run at once, and how many begin in a time.

use std::sync::Arc;

use orloj_store::{JobFilter, LimitRow, LimitScope, NewLimit, Rate};
use orloj_types::{TenantId, Timestamp};

use super::desk::Desk;
use super::operation::Entry;
use crate::api::{Error, Missing};
use crate::handle::{Orloj, check_texts};
use crate::node::store_error;

/// See [`Orloj::limits`].
#[derive(Clone)]
pub struct Limits {
    desk: Desk,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitView {
    pub scope: LimitScope,
    pub name: Arc<str>,
    pub max_concurrent: Option<u32>,
    pub rate: Option<Rate>,
    /// When the rate lets the next job begin; `None`: now, as far as the rate goes.
    pub next_at: Option<Timestamp>,
    /// Jobs that run and count.
    pub running: u64,
}

impl Orloj {
    pub fn limits(&self) -> Limits {
        Limits { desk: Desk::new(self) }
    }
}

impl Limits {
    /// Who gives the orders, for the log.
    pub fn by(self, user: &str) -> Self {
        Self { desk: self.desk.by(user) }
    }

    /// By scope, then name.
    pub async fn list(&self) -> Result<Vec<LimitView>, Error> {
        let engine = &self.desk.engine;
        let rows = engine.inner.store.limits().await.map_err(|e| store_error(&e))?;
        let mut views = Vec::with_capacity(rows.len());
        for row in rows {
            let running = engine.jobs().count(holders(&row)).await?;
            views.push(LimitView {
                scope: row.scope,
                next_at: row.next_at(engine.now()),
                name: row.name,
                max_concurrent: row.max_concurrent,
                rate: row.rate,
                running,
            });
        }
        Ok(views)
    }

    /// Sets or replaces one. When the answer comes every live node keeps it.
    pub async fn set(&self, limit: NewLimit) -> Result<(), Error> {
        check_texts([&*limit.name], &Default::default())?;
        if limit.max_concurrent.is_none() && limit.rate.is_none() {
            return Err(Error::Invalid("a limit needs a number of jobs or a rate".into()));
        }
        let entry = limit_entry("SetLimit", limit.scope, &limit.name).changing(
            "limit",
            None::<&str>,
            Some(words(&limit)),
        );
        let engine = &self.desk.engine;
        let version = engine.inner.store.set_limit(limit, engine.now()).await;
        let version = version.map_err(|error| match error {
            orloj_store::Error::Refused(reason) => Error::Invalid(reason),
            error => store_error(&error),
        })?;
        self.desk.note(vec![entry]).await?;
        self.desk.settled(version).await?;
        self.desk.wake().await;
        Ok(())
    }

    pub async fn delete(&self, scope: LimitScope, name: &str) -> Result<(), Error> {
        let engine = &self.desk.engine;
        let deleted = engine.inner.store.delete_limit(scope, name.into()).await;
        let version = deleted
            .map_err(|e| store_error(&e))?
            .ok_or(Error::Missing(Missing::Limit(name.into())))?;
        self.desk.note(vec![limit_entry("DeleteLimit", scope, name)]).await?;
        self.desk.settled(version).await?;
        self.desk.wake().await;
        Ok(())
    }
}

/// The locked jobs that count.
pub(crate) fn holders(limit: &LimitRow) -> JobFilter {
    let locked = JobFilter { is_locked: Some(true), ..JobFilter::default() };
    let name = limit.name.clone();
    match limit.scope {
        LimitScope::Topic => JobFilter { topic: Some(name), ..locked },
        LimitScope::Tenant => JobFilter { tenant: Some(TenantId::new(name)), ..locked },
        LimitScope::Key => JobFilter { limit_key: Some(name), ..locked },
    }
}

fn limit_entry(operation: &'static str, scope: LimitScope, name: &str) -> Entry {
    let scope = match scope {
        LimitScope::Topic => "topic",
        LimitScope::Tenant => "tenant",
        LimitScope::Key => "key",
    };
    Entry::new(operation, "Limit", None).changing(
        "limit",
        Some(format!("{scope} {name}")),
        None::<&str>,
    )
}

fn words(limit: &NewLimit) -> String {
    let count = limit.max_concurrent.map(|max| format!("{max} at once"));
    let rate = limit.rate.map(|rate| format!("{} in {} ms", rate.jobs, rate.interval_ms));
    let parts: Vec<String> = count.into_iter().chain(rate).collect();
    format!("{}: {}", limit.name, parts.join(", "))
}
