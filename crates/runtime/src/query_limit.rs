//! How many rows one query may ask for: `rows.query_max`.

use orloj_store::Page;

use crate::api::Error;
use crate::handle::Orloj;

impl Orloj {
    /// The page of a caller, unless it asks for more than it may. What the engine reads for itself
    /// is not asked about.
    pub(crate) fn within(&self, page: Page) -> Result<Page, Error> {
        let limit = usize::try_from(page.limit).unwrap_or(usize::MAX);
        self.may_ask_for(limit).map(|()| page)
    }

    /// The rows of a query that knows no page.
    pub(crate) fn all_within<R>(&self, rows: Vec<R>) -> Result<Vec<R>, Error> {
        self.may_ask_for(rows.len()).map(|()| rows)
    }

    fn may_ask_for(&self, rows: usize) -> Result<(), Error> {
        let max = self.inner.settings.rows.query_max;
        match max.map(|max| usize::try_from(max).unwrap_or(usize::MAX)) {
            Some(max) if rows > max => Err(Error::Invalid(format!(
                "{rows} rows are more than one query may ask for: rows.query_max is {max}"
            ))),
            _ => Ok(()),
        }
    }
}
