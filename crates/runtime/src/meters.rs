//! Meters: what nodes have counted, by the names of Camunda, written down from time to time.

use std::sync::Arc;

use orloj_executor::{Meter, Meters};
use orloj_settings::MetricsSettings;
use orloj_store::{MeterQuery, MeterRow, MeterSum, Store};
use orloj_types::{EngineName, Timestamp};

use crate::api::Error;
use crate::handle::Orloj;
use crate::node::store_error;

/// See [`Orloj::meters`].
#[derive(Clone, Copy)]
pub struct MeterLog<'a> {
    engine: &'a Orloj,
}

impl Orloj {
    /// What all nodes have counted and written down. What this node has counted since it last did
    /// is in [`crate::Metrics::meters`].
    pub fn meters(&self) -> MeterLog<'_> {
        MeterLog { engine: self }
    }
}

impl MeterLog<'_> {
    /// Sums by interval and name; names may be the public ones, such as `process-instances`.
    pub async fn query(&self, query: MeterQuery) -> Result<Vec<MeterSum>, Error> {
        let name = query.name.map(|name| canonical(&name)).transpose()?;
        if query.interval_ms.is_some_and(|ms| ms < 1) {
            return Err(Error::Invalid("the interval of meters must be above 0".into()));
        }
        let query = MeterQuery { name, ..query };
        self.engine.inner.store.meters(query).await.map_err(|e| store_error(&e))
    }

    /// The sum of one meter over all nodes, from a moment until just before another.
    pub async fn sum(
        &self,
        name: &str,
        from: Option<Timestamp>,
        until: Option<Timestamp>,
    ) -> Result<i64, Error> {
        let query = MeterQuery { name: Some(name.into()), from, until, ..MeterQuery::default() };
        Ok(self.query(query).await?.iter().map(|sum| sum.value).sum())
    }

    /// Writes down now what this node has counted.
    pub async fn flush(&self) -> Result<(), Error> {
        let inner = &self.engine.inner;
        let flush = Flush {
            store: &*inner.store,
            meters: &inner.metrics.meters,
            settings: &inner.settings.metrics,
            engine: &inner.engine,
            node_name: &inner.node_name,
            now: self.engine.now(),
        };
        flush.write().await.map_err(|e| store_error(&e))
    }
}

/// The name under which a meter is stored.
fn canonical(name: &str) -> Result<Arc<str>, Error> {
    match Meter::from_name(name) {
        Some(meter) => Ok(meter.name().into()),
        None => Err(Error::Invalid(format!("no meter is called {name:?}"))),
    }
}

struct Flush<'a> {
    store: &'a dyn Store,
    meters: &'a Meters,
    settings: &'a MetricsSettings,
    engine: &'a EngineName,
    node_name: &'a str,
    now: Timestamp,
}

impl Flush<'_> {
    /// What could not be written is kept for the next time.
    async fn write(self) -> Result<(), orloj_store::Error> {
        if !self.settings.enabled || !self.settings.stored {
            return Ok(());
        }
        let counted = self.meters.take();
        if counted.is_empty() {
            return Ok(());
        }
        let reporter: Arc<str> = self.settings.reporter.as_deref().unwrap_or(self.node_name).into();
        let rows = counted.iter().map(|(meter, count)| MeterRow {
            engine: self.engine.clone(),
            name: meter.name().into(),
            reporter: reporter.clone(),
            at: self.now,
            value: i64::try_from(*count).unwrap_or(i64::MAX),
        });
        let written = self.store.add_meters(rows.collect()).await;
        if written.is_err() {
            for (meter, count) in counted {
                self.meters.add(meter, count);
            }
        }
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_names_lead_to_the_stored_ones() {
        assert_eq!(&*canonical("flow-node-instances").unwrap(), "activity-instance-start");
        assert_eq!(&*canonical("job-failed").unwrap(), "job-failed");
        let refused = canonical("jobs").unwrap_err().to_string();
        assert!(refused.contains("no meter is called \"jobs\""), "{refused}");
    }
}
