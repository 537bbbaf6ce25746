//! Listings come in pages, newest first; the key of the last row asks for the page after it.

use orloj::{PAGE_ROWS_MAX, Page};
use serde::Serialize;

use crate::failure::RequestFault;
use crate::wire::Key;

/// Rows of a page unless the caller says otherwise: about a screen.
const ROWS_DEFAULT: u32 = 50;

#[derive(Serialize)]
pub struct Listing<T> {
    items: Vec<T>,
    /// What to pass as `before` for the rows after these; null when there are none.
    next: Option<Key>,
}

impl<T> Listing<T> {
    pub fn new(items: Vec<T>, next: Option<i64>) -> Self {
        Self { items, next: next.map(Key) }
    }
}

#[derive(Serialize)]
pub struct Counted {
    pub count: u64,
}

pub fn page(before: Option<i64>, limit: Option<u32>) -> Result<Page, RequestFault> {
    let limit = limit.unwrap_or(ROWS_DEFAULT);
    if limit == 0 || limit > PAGE_ROWS_MAX {
        return Err(RequestFault::Query(format!(
            "limit must be 1 to {PAGE_ROWS_MAX}, not {limit}"
        )));
    }
    Ok(Page { before, limit })
}

/// A page of rows that are all at hand, newest first.
pub fn page_of<V>(mut rows: Vec<V>, page: Page, key: impl Fn(&V) -> i64) -> Vec<V> {
    rows.sort_by_key(|row| std::cmp::Reverse(key(row)));
    rows.retain(|row| page.before.is_none_or(|before| key(row) < before));
    rows.truncate(page.limit as usize);
    rows
}

/// A full page may have a successor; an empty one tells the caller that it had none.
pub fn listing<V, T>(rows: &[V], page: Page, key: impl Fn(&V) -> i64) -> Listing<T>
where
    T: for<'a> From<&'a V>,
{
    Listing::new(rows.iter().map(T::from).collect(), next_of(rows, page, key))
}

/// Where the page after these rows begins.
pub fn next_of<V>(rows: &[V], page: Page, key: impl Fn(&V) -> i64) -> Option<i64> {
    let is_full = rows.len() >= page.limit as usize;
    rows.last().filter(|_| is_full).map(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Row;

    impl From<&i64> for Row {
        fn from(_: &i64) -> Self {
            Self
        }
    }

    #[test]
    fn only_a_full_page_has_a_next_one() {
        let page = Page { before: None, limit: 2 };
        let next = |rows: &[i64]| listing::<_, Row>(rows, page, |key| *key).next;
        assert_eq!(next(&[9, 8]), Some(Key(8)));
        assert_eq!(next(&[9]), None);
        assert_eq!(next(&[]), None);
    }

    #[test]
    fn a_limit_outside_the_range_is_refused() {
        assert_eq!(page(None, None), Ok(Page { before: None, limit: ROWS_DEFAULT }));
        assert!(page(None, Some(0)).is_err());
        assert!(page(None, Some(PAGE_ROWS_MAX + 1)).is_err());
    }
}
