//! What the log of operations tells of one operation on many things.

use std::sync::{Arc, OnceLock};

use orloj_store::{OperationFilter, Page};
use orloj_types::OperationKey;

use super::desk::{Desk, Telling};
use super::operation::Entry;
use crate::api::Error;
use crate::node::store_error;

/// Of a bulk that has not begun.
pub(crate) struct BulkLog {
    desk: Desk,
    /// What is done, without saying to what.
    entries: Vec<Entry>,
    /// Of the desk that does it.
    telling: Arc<OnceLock<Telling>>,
}

impl Desk {
    /// A desk for the things of a bulk, and what tells of all of them.
    pub fn bulk(&self, entries: Vec<Entry>) -> (Self, BulkLog) {
        let telling = Arc::new(OnceLock::new());
        let acting = Self { telling: telling.clone(), ..self.clone() };
        (acting, BulkLog { desk: self.clone(), entries, telling })
    }
}

impl BulkLog {
    /// As the settings say: a summary, an entry for each, or not so many at once. The answer names
    /// the operation, where there is more to tell of it than one thing.
    pub async fn begin(&self, total: u64) -> Result<Option<OperationKey>, Error> {
        if self.desk.is_quiet() {
            // The bulk that this one is a part of has told all.
            self.tell(Telling::Quiet);
            return Ok(None);
        }
        if total <= 1 || !self.desk.is_logged() {
            return Ok(None);
        }
        let entries_max = self.entries_max();
        if entries_max == 1 {
            let operation = self.desk.operation().await?;
            let desk = Desk { group: Some(operation), ..self.desk.clone() };
            desk.note(self.summary(total)).await?;
            self.tell(Telling::Quiet);
            return Ok(Some(operation));
        }
        if entries_max >= 0 && i64::try_from(total).is_ok_and(|total| total > entries_max) {
            let problem = format!(
                "the operation is on {total} things, and the log may tell of {entries_max} at once \
                 (operations.entries_max)"
            );
            return Err(Error::Invalid(problem));
        }
        let operation = self.desk.operation().await?;
        self.tell(Telling::Group(operation));
        Ok(Some(operation))
    }

    /// What follows belongs to an operation that has begun.
    pub async fn go_on(&self, operation: OperationKey) -> Result<(), Error> {
        if self.desk.is_quiet() || !self.desk.is_logged() {
            return Ok(());
        }
        if self.entries_max() != 1 {
            self.tell(Telling::Group(operation));
            return Ok(());
        }
        // Nothing is done untold: the summary must be there.
        let filter = OperationFilter {
            group: Some(operation),
            user: self.desk.user.clone(),
            operation: self.entries.first().map(|entry| entry.operation.into()),
            ..OperationFilter::default()
        };
        let page = Page { before: None, limit: 1 };
        let told = self.desk.engine.inner.store.operations(filter, page).await;
        if told.map_err(|e| store_error(&e))?.is_empty() {
            let problem = format!("{operation} is no operation of this kind that has begun");
            return Err(Error::Invalid(problem));
        }
        self.tell(Telling::Quiet);
        Ok(())
    }

    /// The page of a caller, unless it asks for more than it may.
    pub fn within(&self, page: Page) -> Result<Page, Error> {
        self.desk.engine.within(page)
    }

    fn entries_max(&self) -> i64 {
        self.desk.engine.inner.settings.operations.entries_max
    }

    fn tell(&self, telling: Telling) {
        let begun_twice = self.telling.set(telling).is_err();
        debug_assert!(!begun_twice, "a bulk is run once");
    }

    fn summary(&self, total: u64) -> Vec<Entry> {
        let Some(first) = self.entries.first() else { return Vec::new() };
        let of_all = |property, new: String| {
            let entry = Entry::new(first.operation, first.entity, None);
            entry.changing(property, None::<&str>, Some(new))
        };
        let numbers =
            [of_all("nrOfInstances", total.to_string()), of_all("async", false.to_string())];
        let changed = self.entries.iter().filter(|entry| entry.property.is_some()).map(|entry| {
            let plain = Entry::new(entry.operation, entry.entity, None);
            Entry { property: entry.property, new: entry.new.clone(), ..plain }
        });
        numbers.into_iter().chain(changed).collect()
    }
}
