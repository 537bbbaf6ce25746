//! One verb, many things: by keys or by filter.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::stream::{FuturesUnordered, StreamExt};
use orloj_store::{PAGE_ROWS_MAX, Page};
use orloj_types::{BatchKey, OperationKey};

use super::bulk_log::BulkLog;
use crate::api::Error;

/// Commands under way at the same time, where nothing else is asked for: enough to fill a group of
/// the store, few enough to leave room for others.
const CONCURRENCY: usize = 64;
/// Errors that a report lists; all are counted.
const ERRORS_MAX: usize = 1_000;

/// How far a bulk is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// As far as is known.
    pub total: u64,
    pub done: u64,
    pub failed: u64,
}

/// What became of a bulk. Nothing is left out: `done` and `failed` add up to `total`.
#[derive(Clone, Debug, Default)]
pub struct BulkReport {
    pub total: u64,
    pub done: u64,
    pub failed: u64,
    /// The first of those that failed, at most a thousand.
    pub errors: Vec<ItemError>,
}

#[derive(Clone, Debug)]
pub struct ItemError {
    pub key: i64,
    pub error: Error,
}

/// A part of a bulk whose caller takes it one portion after the other, newest first.
#[derive(Clone, Copy, Debug)]
pub struct Portion {
    /// Where it begins and how large it is. Keys that are named are all of one portion.
    pub page: Page,
    /// What the first portion answered: this one is told together with it. `None`: an operation
    /// begins.
    pub operation: Option<OperationKey>,
    /// How many things the operation that begins has in all portions, as far as is known.
    pub total: u64,
}

/// What became of a portion.
#[derive(Clone, Debug)]
pub struct PortionReport {
    pub report: BulkReport,
    /// Where the next portion begins, unless this was the last.
    pub next: Option<i64>,
    /// For the next portion; `None`: the log has nothing to join.
    pub operation: Option<OperationKey>,
}

/// A key and what became of it.
type Acted = (i64, Result<(), Error>);
type Later<T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send>>;

/// What a bulk is for.
pub(crate) enum Source {
    Keys(Vec<i64>),
    /// Found page by page, so that any number fits into memory.
    Pages {
        /// Only for progress: it may change while the pages are read.
        count: Later<u64>,
        page: ReadPage,
    },
}

type ReadPage = Box<dyn Fn(Page) -> Later<Keys> + Send + Sync + 'static>;

/// A page of keys.
pub(crate) struct Keys {
    pub keys: Vec<i64>,
    /// Where the next page begins, unless this is the last.
    pub next: Option<i64>,
}

impl Keys {
    /// Of a query by key, newest first.
    pub fn of<R>(rows: &[R], page: Page, key: impl Fn(&R) -> i64) -> Self {
        let is_last = rows.len() < page.limit as usize;
        Self {
            keys: rows.iter().map(&key).collect(),
            next: rows.last().map(key).filter(|_| !is_last),
        }
    }
}

/// A verb and what it is for. Nothing happens before [`Bulk::run`], [`Bulk::run_portion`] or
/// [`Bulk::as_batch`].
#[must_use = "nothing happens before it is run"]
pub struct Bulk {
    source: Source,
    acting: Acting,
    batch: Option<Box<dyn FnOnce() -> Later<BatchKey> + Send + 'static>>,
    log: BulkLog,
}

/// What is done to each, and how.
struct Acting {
    concurrency: usize,
    on_progress: Option<Arc<dyn Fn(Progress) + Send + Sync + 'static>>,
    act: Box<dyn Fn(i64) -> Later<()> + Send + Sync + 'static>,
}

impl Bulk {
    pub(crate) fn new<A>(
        source: Source,
        log: BulkLog,
        act: impl Fn(i64) -> A + Send + Sync + 'static,
    ) -> Self
    where
        A: Future<Output = Result<(), Error>> + Send + 'static,
    {
        let acting = Acting {
            concurrency: CONCURRENCY,
            on_progress: None,
            act: Box::new(move |key| Box::pin(act(key))),
        };
        Self { source, acting, batch: None, log }
    }

    pub(crate) fn or_batch<B, X>(self, batch: B) -> Self
    where
        B: FnOnce() -> X + Send + 'static,
        X: Future<Output = Result<BatchKey, Error>> + Send + 'static,
    {
        Self { batch: Some(Box::new(move || Box::pin(batch()))), ..self }
    }

    /// At least one at a time.
    pub fn concurrency(mut self, concurrency: usize) -> Self {
        self.acting.concurrency = concurrency.max(1);
        self
    }

    /// Called at the beginning, and then after each.
    pub fn on_progress(mut self, on_progress: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.acting.on_progress = Some(Arc::new(on_progress));
        self
    }

    /// Does it to each, and answers when the last is done. What cannot be done is reported and
    /// stops nothing else; an error means that it could not be found out what to do it to.
    pub async fn run(self) -> Result<BulkReport, Error> {
        let (total, pages) = match self.source {
            Source::Keys(keys) => (keys.len() as u64, Pages::One(Some(keys))),
            Source::Pages { count, page } => {
                (count.await?, Pages::Read { page, before: None, is_last: false })
            }
        };
        self.log.begin(total).await?;
        self.acting.run(total, pages).await
    }

    /// Does it to each of a portion, for callers who cannot wait for all.
    pub async fn run_portion(self, portion: Portion) -> Result<PortionReport, Error> {
        let Keys { keys, next } = match self.source {
            Source::Keys(keys) => Keys { keys, next: None },
            Source::Pages { page, .. } => page(self.log.within(portion.page)?).await?,
        };
        let count = keys.len() as u64;
        let operation = match portion.operation {
            Some(operation) => {
                self.log.go_on(operation).await?;
                Some(operation)
            }
            None => self.log.begin(portion.total.max(count)).await?,
        };
        let report = self.acting.run(count, Pages::One(Some(keys))).await?;
        Ok(PortionReport { report, next, operation })
    }

    /// Hands it to the executor, which goes on whatever happens to the caller.
    pub async fn as_batch(self) -> Result<BatchKey, Error> {
        match self.batch {
            Some(batch) => batch().await,
            None => Err(Error::Invalid("this is not done in batches".into())),
        }
    }
}

impl Acting {
    async fn run(&self, total: u64, mut pages: Pages) -> Result<BulkReport, Error> {
        let mut report = BulkReport { total, ..BulkReport::default() };
        let tell = |report: &BulkReport| {
            if let Some(on_progress) = &self.on_progress {
                let BulkReport { total, done, failed, .. } = *report;
                on_progress(Progress { total: total.max(done + failed), done, failed });
            }
        };
        tell(&report);
        let mut keys = Vec::new().into_iter();
        // Boxed one by one: so the whole can be awaited by any task, whatever it borrows.
        let mut acting: FuturesUnordered<Pin<Box<dyn Future<Output = Acted> + Send + 'static>>> =
            FuturesUnordered::new();
        loop {
            while acting.len() < self.concurrency {
                match keys.next() {
                    Some(key) => {
                        let acted = (self.act)(key);
                        acting.push(Box::pin(async move { (key, acted.await) }));
                    }
                    None => match pages.next().await? {
                        // Those of a page in the order of their age: jobs of one instance may
                        // have to queue.
                        Some(mut page) => {
                            page.sort_unstable();
                            keys = page.into_iter();
                        }
                        None => break,
                    },
                }
            }
            let Some((key, result)) = acting.next().await else { break };
            match result {
                Ok(()) => report.done += 1,
                Err(error) => {
                    report.failed += 1;
                    if report.errors.len() < ERRORS_MAX {
                        report.errors.push(ItemError { key, error });
                    }
                }
            }
            tell(&report);
        }
        report.total = report.done + report.failed;
        report.errors.sort_by_key(|item| item.key);
        Ok(report)
    }
}

enum Pages {
    One(Option<Vec<i64>>),
    Read { page: ReadPage, before: Option<i64>, is_last: bool },
}

impl Pages {
    async fn next(&mut self) -> Result<Option<Vec<i64>>, Error> {
        match self {
            Self::One(keys) => Ok(keys.take()),
            Self::Read { is_last: true, .. } => Ok(None),
            Self::Read { page, before, is_last } => {
                let found = page(Page { before: *before, limit: PAGE_ROWS_MAX }).await?;
                *before = found.next;
                *is_last = found.next.is_none();
                Ok(Some(found.keys))
            }
        }
    }
}

/// Reads all pages of a query that goes by keys, newest first.
pub(crate) async fn all<R, X>(
    read: impl Fn(Page) -> X,
    key: impl Fn(&R) -> i64,
) -> Result<Vec<R>, Error>
where
    X: Future<Output = Result<Vec<R>, orloj_store::Error>>,
{
    let mut rows = Vec::new();
    let mut page = Page { before: None, limit: PAGE_ROWS_MAX };
    loop {
        let found = read(page).await.map_err(|e| crate::node::store_error(&e))?;
        let is_last = found.len() < PAGE_ROWS_MAX as usize;
        page.before = found.last().map(&key);
        rows.extend(found);
        if is_last {
            return Ok(rows);
        }
    }
}
