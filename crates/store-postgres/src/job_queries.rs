//! Listing and counting jobs.

use orloj_store::{Error, JobFilter, JobOrder, JobRow, PAGE_ROWS_MAX, Page};
use orloj_types::{BatchKey, DefinitionKey, InstanceKey, Timestamp};
use tokio_postgres::types::{ToSql, Type};

use crate::read;
use crate::store::Shared;
use crate::transaction::Params;

impl Shared {
    pub(crate) async fn jobs(&self, filter: &JobFilter, page: Page) -> Result<Vec<JobRow>, Error> {
        let sql = self.sql.jobs.replace("ORDER BY key DESC", order(filter.order));
        let limit = i64::from(page.limit.min(PAGE_ROWS_MAX));
        let values = Values::of(filter);
        let engine = self.engine.as_str();
        let rows = self.read(&sql, &values.params(&engine, &page.before, &limit)).await?;
        read::all(&rows, read::job)
    }

    pub(crate) async fn count_jobs(&self, filter: &JobFilter) -> Result<u64, Error> {
        let (values, engine) = (Values::of(filter), self.engine.as_str());
        self.count(&self.sql.jobs, &values.params(&engine, &None, &0)).await
    }

    /// How many rows a listing has. Its parameters keep their places; page and order are left out.
    pub(crate) async fn count(&self, listing: &str, params: Params<'_>) -> Result<u64, Error> {
        let from = listing.find(" FROM ").expect("every listing has a FROM");
        let to = listing.find("ORDER BY").expect("every listing has an order");
        let sql = format!("SELECT count(*){}", &listing[from..to]);
        let count = read::first(&self.read(&sql, params).await?, |row| row.get::<i64>(0))?;
        Ok(count.unwrap_or(0).unsigned_abs())
    }
}

fn order(order: JobOrder) -> &'static str {
    match order {
        JobOrder::NewestFirst => "ORDER BY key DESC",
        JobOrder::OldestFirst => "ORDER BY key",
        JobOrder::EarliestDueFirst => "ORDER BY due_at NULLS LAST, key DESC",
        JobOrder::LatestDueFirst => "ORDER BY due_at DESC NULLS LAST, key DESC",
        JobOrder::LowestPriorityFirst => "ORDER BY priority, key DESC",
        JobOrder::HighestPriorityFirst => "ORDER BY priority DESC, key DESC",
        JobOrder::FewestRetriesFirst => "ORDER BY retries_left, key DESC",
        JobOrder::MostRetriesFirst => "ORDER BY retries_left DESC, key DESC",
        JobOrder::NextFirst => "ORDER BY priority DESC, key",
    }
}

/// A filter as the statement takes it.
struct Values<'a> {
    filter: &'a JobFilter,
    offset: i64,
    keys: Option<Vec<i64>>,
    kinds: Option<Vec<i16>>,
    states: Option<Vec<i16>>,
    numbers: [Option<i64>; 10],
    texts: [Option<&'a str>; 10],
}

impl<'a> Values<'a> {
    fn of(filter: &'a JobFilter) -> Self {
        fn list<T, N>(rows: &[T], number: impl Fn(&T) -> N) -> Option<Vec<N>> {
            (!rows.is_empty()).then(|| rows.iter().map(number).collect())
        }
        let time = |at: Option<Timestamp>| at.map(Timestamp::as_ms);
        let priorities = filter.priorities.as_ref();
        Self {
            filter,
            offset: filter.offset.into(),
            keys: list(&filter.keys, |key| key.raw()),
            kinds: list(&filter.kinds, |kind| *kind as i16),
            states: list(&filter.states, |state| *state as i16),
            numbers: [
                filter.instance.map(InstanceKey::raw),
                filter.definition.map(DefinitionKey::raw),
                filter.batch.map(BatchKey::raw),
                time(filter.due_before),
                time(filter.due_after),
                time(filter.created_before),
                time(filter.created_after),
                priorities.map(|range| *range.start()),
                priorities.map(|range| *range.end()),
                time(filter.executable_at),
            ],
            texts: [
                filter.process_id.as_deref(),
                filter.tenant.as_deref(),
                filter.element.as_deref(),
                filter.failed_element.as_deref(),
                filter.job_type.as_deref(),
                filter.topic.as_deref(),
                filter.category.as_deref(),
                filter.failure.as_deref(),
                filter.owner.as_deref(),
                filter.limit_key.as_deref(),
            ],
        }
    }

    fn params<'p>(
        &'p self,
        engine: &'p &'p str,
        before: &'p Option<i64>,
        limit: &'p i64,
    ) -> Vec<(&'p (dyn ToSql + Sync), Type)>
    where
        'a: 'p,
    {
        let [
            instance,
            definition,
            batch,
            due_before,
            due_after,
            created_before,
            created_after,
            lowest,
            highest,
            executable_at,
        ] = &self.numbers;
        let [
            process,
            tenant,
            element,
            failed_element,
            job_type,
            topic,
            category,
            failure,
            owner,
            limit_key,
        ] = &self.texts;
        vec![
            (engine, Type::TEXT),
            (before, Type::INT8),
            (limit, Type::INT8),
            (&self.offset, Type::INT8),
            (&self.keys, Type::INT8_ARRAY),
            (instance, Type::INT8),
            (definition, Type::INT8),
            (process, Type::TEXT),
            (tenant, Type::TEXT),
            (element, Type::TEXT),
            (failed_element, Type::TEXT),
            (&self.kinds, Type::INT2_ARRAY),
            (&self.states, Type::INT2_ARRAY),
            (job_type, Type::TEXT),
            (topic, Type::TEXT),
            (category, Type::TEXT),
            (batch, Type::INT8),
            (due_before, Type::INT8),
            (due_after, Type::INT8),
            (created_before, Type::INT8),
            (created_after, Type::INT8),
            (&self.filter.has_failure, Type::BOOL),
            (failure, Type::TEXT),
            (&self.filter.has_retries, Type::BOOL),
            (lowest, Type::INT8),
            (highest, Type::INT8),
            (&self.filter.is_locked, Type::BOOL),
            (owner, Type::TEXT),
            (&self.filter.session, Type::INT8),
            (executable_at, Type::INT8),
            (limit_key, Type::TEXT),
        ]
    }
}
