//! A filter and a page, given after the question mark.
//!
//! The fields of a filter are the same there and in the body of a command for many, where they
//! stand in `"filter"`; the page has its own names and is taken out first.

use axum::extract::{FromRequestParts, Query};
use axum::http::Uri;
use axum::http::request::Parts;
use orloj::Page;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::failure::RequestFault;
use crate::page::page;

/// The names that are no part of any filter.
const PAGE_NAMES: [&str; 2] = ["before", "limit"];

pub struct Filtered<F> {
    pub filter: F,
    pub page: Page,
}

#[derive(Deserialize)]
struct PageParams {
    before: Option<i64>,
    limit: Option<u32>,
}

impl<S: Send + Sync, F: DeserializeOwned> FromRequestParts<S> for Filtered<F> {
    type Rejection = RequestFault;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let query = parts.uri.query().unwrap_or_default();
        let is_page = |pair: &&str| {
            let name = pair.split_once('=').map_or(*pair, |(name, _)| name);
            PAGE_NAMES.contains(&name)
        };
        let (paging, filter): (Vec<&str>, Vec<&str>) =
            query.split('&').filter(|pair| !pair.is_empty()).partition(is_page);
        let PageParams { before, limit } = read(&paging)?;
        Ok(Self { filter: read(&filter)?, page: page(before, limit)? })
    }
}

fn read<T: DeserializeOwned>(pairs: &[&str]) -> Result<T, RequestFault> {
    let unreadable = || RequestFault::Query("the query cannot be read".to_owned());
    let uri = format!("/?{}", pairs.join("&"));
    let uri: Uri = uri.parse().map_err(|_| unreadable())?;
    match Query::<T>::try_from_uri(&uri) {
        Ok(Query(value)) => Ok(value),
        Err(rejection) => Err(RequestFault::Query(rejection.body_text())),
    }
}
