//! The whole history of one instance, read at one moment.

use std::sync::Arc;

use orloj_interpreter::Record;
use orloj_store::EndedRow;
use orloj_store::format::{EventEntry, decode_events};
use orloj_types::InstanceKey;

use crate::api::{Error, Missing};
use crate::codec::{self, Origin};
use crate::definition::Definition;
use crate::handle::Orloj;
use crate::node::store_error;

pub(super) struct Told {
    pub origin: Origin,
    /// The one it has, or had at its end.
    pub definition: Arc<Definition>,
    /// In the order it happened.
    pub events: Vec<EventEntry>,
    pub state: State,
}

pub(super) enum State {
    Live(Box<Record>),
    Ended(Box<EndedRow>),
}

/// The part of a list to be shown, in the order in which things happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub skip: usize,
    pub limit: usize,
}

impl Default for Span {
    fn default() -> Self {
        Self { skip: 0, limit: SPAN_ROWS_MAX }
    }
}

/// Most rows of one answer, as of one page of a store.
pub const SPAN_ROWS_MAX: usize = orloj_store::PAGE_ROWS_MAX as usize;

impl Span {
    pub(super) fn of<T>(self, rows: Vec<T>) -> Vec<T> {
        rows.into_iter().skip(self.skip).take(self.limit.min(SPAN_ROWS_MAX)).collect()
    }
}

impl Told {
    /// The live row comes first and says which stretches belong to it: what is written meanwhile
    /// is later history.
    pub async fn read(orloj: &Orloj, key: InstanceKey) -> Result<Self, Error> {
        let store = &orloj.inner.store;
        let loaded = store.load(vec![key]).await.map_err(|e| store_error(&e))?.pop();
        let (state, definition, started_at, last_rev, inline) = match loaded {
            Some(loaded) => {
                let record = codec::decode(&loaded).map_err(|e| store_error(&e))?;
                let (rev, started_at) = (loaded.row.rev, record.started_at);
                let definition = record.definition;
                (State::Live(Box::new(record)), definition, started_at, rev, loaded.row.events)
            }
            None => {
                let row = store.ended_instance(key).await.map_err(|e| store_error(&e))?;
                let row = row.ok_or(Error::Missing(Missing::Instance(key.raw())))?;
                let (definition, started_at) = (row.definition, row.started_at);
                (State::Ended(Box::new(row)), definition, started_at, i32::MAX, Vec::new())
            }
        };
        let mut events = Vec::new();
        for row in store.history(key).await.map_err(|e| store_error(&e))? {
            if row.rev <= last_rev {
                events.extend(decode_events(&row.events).map_err(|e| store_error(&e))?);
            }
        }
        events.extend(decode_events(&inline).map_err(|e| store_error(&e))?);
        let definition = orloj.inner.definitions.get(definition).await?;
        Ok(Self { origin: Origin { instance: key, started_at }, definition, events, state })
    }
}
