//! One command for many: chosen by keys or by a filter.
//!
//! A request works on one portion, at most a page of rows, and answers when the last of it is
//! done. `next` of the answer, given as `before`, takes the following portion. So no request takes
//! longer than its caller can wait, and what comes meanwhile is not worked on twice: portions go
//! from the newest key to the oldest.
//!
//! A request is one operation in the log. A caller that goes on says with the first portion how
//! many there are in all (`total`) and passes its `operation` on: so all portions are one.

use std::collections::BTreeMap;

use axum::extract::{FromRequest, Request};
use orloj::types::OperationKey;
use orloj::{Bulk, ItemError, PAGE_ROWS_MAX, PortionReport};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::extract::JsonBody;
use crate::failure::{Failure, RequestFault};
use crate::page::page;
use crate::status;
use crate::wire::{GivenKey, Key};

/// The body of a command for many: whom it is for, and the fields of the command itself.
pub struct Many<F, C> {
    pub choice: Choice<F>,
    pub portion: orloj::Portion,
    pub command: C,
    /// Leave it to the executor.
    pub as_batch: bool,
}

pub enum Choice<F> {
    Keys(Vec<i64>),
    Filter(F),
}

/// A body whose parts are read one by one; numbers keep all their digits.
pub type Fields = BTreeMap<String, Box<RawValue>>;

impl<S, F, C> FromRequest<S> for Many<F, C>
where
    S: Send + Sync,
    F: DeserializeOwned,
    C: DeserializeOwned,
{
    type Rejection = RequestFault;

    async fn from_request(request: Request, state: &S) -> Result<Self, Self::Rejection> {
        let JsonBody(mut fields): JsonBody<Fields> = JsonBody::from_request(request, state).await?;
        let keys: Option<Vec<GivenKey>> = take(&mut fields, "keys")?;
        let filter: Option<F> = take(&mut fields, "filter")?;
        let before: Option<GivenKey> = take(&mut fields, "before")?;
        let limit: Option<u32> = take(&mut fields, "limit")?;
        let as_batch: Option<bool> = take(&mut fields, "asBatch")?;
        let total: Option<u64> = take(&mut fields, "total")?;
        let operation: Option<GivenKey> = take(&mut fields, "operation")?;
        let portion = orloj::Portion {
            page: page(before.map(|key| key.0), Some(limit.unwrap_or(PAGE_ROWS_MAX)))?,
            operation: operation.map(|key| OperationKey::new(key.0)),
            total: total.unwrap_or(0),
        };
        let choice = match (keys, filter) {
            (Some(keys), None) => {
                let keys: Vec<i64> = keys.into_iter().map(|key| key.0).collect();
                check_keys(&keys)?;
                Choice::Keys(keys)
            }
            (None, Some(filter)) => Choice::Filter(filter),
            _ => {
                let reason = "one of keys and filter is needed; an empty filter takes all";
                return Err(RequestFault::Body(reason.to_owned()));
            }
        };
        let command = rest(&fields)?;
        Ok(Self { choice, portion, command, as_batch: as_batch.unwrap_or(false) })
    }
}

/// What was not taken.
pub fn rest<T: DeserializeOwned>(fields: &Fields) -> Result<T, RequestFault> {
    let unexpected = |error: serde_json::Error| {
        RequestFault::Body(format!("the body is not as expected: {error}"))
    };
    let text = serde_json::to_string(fields).map_err(unexpected)?;
    serde_json::from_str(&text).map_err(unexpected)
}

pub fn take<T: DeserializeOwned>(
    fields: &mut Fields,
    name: &str,
) -> Result<Option<T>, RequestFault> {
    let Some(raw) = fields.remove(name) else { return Ok(None) };
    serde_json::from_str(raw.get()).map_err(|error| RequestFault::Body(format!("{name}: {error}")))
}

fn check_keys(keys: &[i64]) -> Result<(), RequestFault> {
    if keys.len() > PAGE_ROWS_MAX as usize {
        let reason = format!("keys: at most {PAGE_ROWS_MAX} at once, not {}", keys.len());
        return Err(RequestFault::Body(reason));
    }
    match keys.iter().find(|key| **key <= 0) {
        Some(key) => Err(RequestFault::Body(format!("keys: '{key}' is not a key"))),
        None => Ok(()),
    }
}

/// What became of a portion.
#[derive(Serialize)]
pub struct Portion {
    done: u64,
    failures: Vec<Failed>,
    /// What to pass as `before` for the following portion; null when there is none.
    next: Option<Key>,
    /// What to pass as `operation` with it, so that the log tells of both as one; null where there
    /// is nothing to join.
    operation: Option<Key>,
}

#[derive(Serialize)]
struct Failed {
    key: Key,
    code: &'static str,
    message: String,
}

pub async fn run(bulk: Bulk, portion: orloj::Portion) -> Result<Portion, Failure> {
    let PortionReport { report, next, operation } = bulk.run_portion(portion).await?;
    let failed = |item: ItemError| {
        let message = item.error.to_string();
        let (_, code) = status::of(&Failure::Engine(item.error));
        Failed { key: Key(item.key), code, message }
    };
    Ok(Portion {
        done: report.done,
        failures: report.errors.into_iter().map(failed).collect(),
        next: next.map(Key),
        operation: operation.map(|key| Key(key.raw())),
    })
}
