//! What the log of operations tells of one operation on many things.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::desk::Desk;
use super::operation::Entry;
use crate::api::Error;
use crate::history::operations::is_logged;

/// Of a bulk that has not begun.
pub(crate) struct BulkLog {
    desk: Desk,
    /// What is done, without saying to what.
    entries: Vec<Entry>,
    /// Of the desk that does it.
    is_quiet: Arc<AtomicBool>,
}

impl Desk {
    /// A desk for the things of a bulk, and what tells of all of them.
    pub fn bulk(&self, entries: Vec<Entry>) -> (Self, BulkLog) {
        let is_quiet = Arc::new(AtomicBool::new(false));
        let acting = Self { is_quiet: is_quiet.clone(), ..self.clone() };
        (acting, BulkLog { desk: self.clone(), entries, is_quiet })
    }
}

impl BulkLog {
    /// As the settings say: a summary, an entry for each, or not so many at once.
    pub async fn begin(&self, total: u64) -> Result<(), Error> {
        let settings = &self.desk.engine.inner.settings;
        let entries_max = settings.operations.entries_max;
        if total <= 1 || entries_max < 0 || !is_logged(settings, self.desk.user.as_deref()) {
            return Ok(());
        }
        if entries_max == 1 {
            self.desk.note(self.summary(total)).await?;
            self.is_quiet.store(true, Ordering::Relaxed);
            return Ok(());
        }
        if i64::try_from(total).is_ok_and(|total| total <= entries_max) {
            return Ok(());
        }
        let problem = format!(
            "the operation is on {total} things, and the log may tell of {entries_max} at once \
             (operations.entries_max)"
        );
        Err(Error::Invalid(problem))
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
