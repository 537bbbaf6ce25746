//! One command for many: chosen by keys or by a filter.
//!
//! A request works on one portion, at most a page of rows, and answers when the last of it is
//! done. `next` of the answer, given as `before`, takes the following portion. So no request takes
//! longer than its caller can wait, and what comes meanwhile is not worked on twice: portions go
//! from the newest key to the oldest.

use std::collections::BTreeMap;
use std::future::Future;

use axum::extract::{FromRequest, Request};
use futures_util::stream::{self, StreamExt};
use orloj::{Error, PAGE_ROWS_MAX, Page};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::extract::JsonBody;
use crate::failure::{Failure, RequestFault};
use crate::page::{next_of, page};
use crate::status;
use crate::wire::{GivenKey, Key};

/// Commands under way at once: enough to fill a group of the store, few enough to leave room.
const CONCURRENCY: usize = 64;

/// The body of a command for many: whom it is for, and the fields of the command itself.
pub struct Many<F, C> {
    pub choice: Choice<F>,
    pub command: C,
    /// Leave it to the executor.
    pub as_batch: bool,
}

pub enum Choice<F> {
    Keys(Vec<i64>),
    Filter(F, Page),
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
        let choice = match (keys, filter) {
            (Some(keys), None) => {
                let keys: Vec<i64> = keys.into_iter().map(|key| key.0).collect();
                check_keys(&keys)?;
                Choice::Keys(keys)
            }
            (None, Some(filter)) => {
                let page = page(before.map(|key| key.0), Some(limit.unwrap_or(PAGE_ROWS_MAX)))?;
                Choice::Filter(filter, page)
            }
            _ => {
                let reason = "one of keys and filter is needed; an empty filter takes all";
                return Err(RequestFault::Body(reason.to_owned()));
            }
        };
        let command = rest(&fields)?;
        Ok(Self { choice, command, as_batch: as_batch.unwrap_or(false) })
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
}

#[derive(Serialize)]
struct Failed {
    key: Key,
    code: &'static str,
    message: String,
}

/// Does it to each of them. `rows` gives the keys of a page, newest first.
pub async fn each<F, A, L>(
    choice: Choice<F>,
    rows: impl FnOnce(F, Page) -> L,
    act: impl Fn(i64) -> A,
) -> Result<Portion, Failure>
where
    L: Future<Output = Result<Vec<i64>, Error>>,
    A: Future<Output = Result<(), Error>>,
{
    let (keys, next) = match choice {
        Choice::Keys(keys) => (keys, None),
        Choice::Filter(filter, page) => {
            let keys = rows(filter, page).await?;
            let next = next_of(&keys, page, |key| *key);
            (keys, next)
        }
    };
    each_of(keys, next, act).await
}

/// The same, where the keys of the portion are known.
pub async fn each_of<A>(
    keys: Vec<i64>,
    next: Option<i64>,
    act: impl Fn(i64) -> A,
) -> Result<Portion, Failure>
where
    A: Future<Output = Result<(), Error>>,
{
    let act = &act;
    let acting = stream::iter(keys).map(|key| async move { (key, act(key).await) });
    let mut acting = std::pin::pin!(acting.buffer_unordered(CONCURRENCY));
    let mut portion = Portion { done: 0, failures: Vec::new(), next: next.map(Key) };
    while let Some((key, result)) = acting.next().await {
        match result {
            Ok(()) => portion.done += 1,
            Err(error) => {
                let message = error.to_string();
                let (_, code) = status::of(&Failure::Engine(error));
                portion.failures.push(Failed { key: Key(key), code, message });
            }
        }
    }
    portion.failures.sort_by_key(|failed| failed.key.0);
    Ok(portion)
}
