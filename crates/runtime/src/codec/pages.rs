//! The pages of large records: rows beside the instance's own (docs/adr/0012).

use orloj_interpreter::{Changed, ElementInstance, Elements, Page, Record, Scopes};
use orloj_store::format::{RecordWriter, decode_record};
use orloj_store::{Error, LoadedInstance, RecordPage, RecordPageKind, RecordPageWrite};
use orloj_types::{ElementInstanceKey, EngineName, InstanceKey, JobKey, Timestamp, Variables};

use super::record;

/// What changes in the pages when `old` becomes `new`.
pub fn page_writes(
    engine: &EngineName,
    instance: InstanceKey,
    old: Option<&Record>,
    new: Option<&Record>,
) -> Vec<RecordPageWrite> {
    let has_pages =
        |record: &Record| !(record.elements.is_head_only() && record.variables.is_head_only());
    let (had, has) = (old.is_some_and(has_pages), new.is_some_and(has_pages));
    let Some(new) = new.filter(|_| had || has) else {
        return if had { vec![RecordPageWrite::DeleteAll { instance }] } else { Vec::new() };
    };
    let (no_elements, no_variables) = (Elements::default(), Scopes::default());
    let (elements, variables) =
        old.map_or((&no_elements, &no_variables), |old| (&old.elements, &old.variables));
    let mut writes = Vec::new();
    let mut write = |kind, first, bytes: Option<Vec<u8>>| {
        writes.push(match bytes {
            None => RecordPageWrite::Delete { instance, kind, first },
            Some(bytes) => {
                let (engine, tenant) = (engine.clone(), new.tenant.clone());
                RecordPageWrite::Put(RecordPage { instance, kind, first, engine, tenant, bytes })
            }
        });
    };
    for changed in new.elements.changed_pages(elements) {
        let bytes = changed.1.map(|page| {
            encode(|writer| {
                let all = page.entries.iter();
                all.for_each(|(_, element)| record::write_element(writer, element, new));
            })
        });
        write(RecordPageKind::Elements, first_of(changed), bytes);
    }
    for changed in new.variables.changed_pages(variables) {
        let bytes = changed.1.map(|page| {
            encode(|writer| {
                for (key, own) in &page.entries {
                    record::write_scope(writer, *key, own, instance.raw());
                }
            })
        });
        write(RecordPageKind::Variables, first_of(changed), bytes);
    }
    writes
}

fn first_of<V>((was, is): Changed<'_, ElementInstanceKey, V>) -> ElementInstanceKey {
    was.or(is).expect("what has changed was or is there").first
}

fn encode(entries: impl FnOnce(&mut RecordWriter)) -> Vec<u8> {
    let mut writer = RecordWriter::new(0, None);
    entries(&mut writer);
    writer.finish(None, std::iter::empty(), None)
}

/// All pages of an instance, by key.
#[derive(Default)]
pub(super) struct Decoded {
    pub elements: Vec<Page<ElementInstanceKey, ElementInstance>>,
    pub scopes: Vec<Page<ElementInstanceKey, Variables>>,
    /// The exclusive jobs that wait for their turn.
    pub parked: Vec<(u64, JobKey)>,
}

pub(super) fn decode(loaded: &LoadedInstance, started_at: Timestamp) -> Result<Decoded, Error> {
    let base = loaded.row.key.raw();
    let mut decoded = Decoded::default();
    for page in &loaded.pages {
        let message = decode_record(&page.bytes)?;
        let first = page.first;
        match page.kind {
            RecordPageKind::Elements => {
                let mut entries = Vec::with_capacity(message.elements.len());
                for entry in &message.elements {
                    decoded.parked.extend(record::parked_of(entry, base));
                    let element = record::element(entry, base, started_at)?;
                    entries.push((element.key, element));
                }
                decoded.elements.push(Page { first, entries });
            }
            RecordPageKind::Variables => {
                let entries = message.scopes.iter().map(|entry| record::decode_scope(entry, base));
                let entries = entries.collect::<Result<_, _>>()?;
                decoded.scopes.push(Page { first, entries });
            }
        }
    }
    decoded.elements.sort_by_key(|page| page.first);
    decoded.scopes.sort_by_key(|page| page.first);
    Ok(decoded)
}

/// Refuses pages in which nothing would be found.
pub(super) fn check_order<T, V>(
    head: &[T],
    pages: &[Page<ElementInstanceKey, V>],
    key: impl Fn(&T) -> ElementInstanceKey,
) -> Result<(), Error> {
    if pages.is_empty() {
        return Ok(());
    }
    let mut last = head.last().map(key);
    for page in pages {
        // A page ends where the next one begins.
        let is_behind = last.is_none_or(|last| last < page.first);
        let is_within = page.entries.first().is_some_and(|(key, _)| page.first <= *key);
        if !is_behind || !is_within || !page.entries.is_sorted_by(|one, next| one.0 < next.0) {
            return Err(Error::Damaged("pages of a record out of order".into()));
        }
        last = page.entries.last().map(|(key, _)| *key);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use std::collections::BTreeMap;

    use orloj_interpreter::{
        After, ElementState, ExclusiveQueue, Job, JobKind, JobState, Task, TaskProperties,
    };
    use orloj_store::{InstanceRow, VariableRow, VariableWrite};
    use orloj_types::{DefinitionKey, ElementId, StoredValue, TenantId, UserTaskKey};
    use proptest::prelude::*;

    use super::*;
    use crate::codec;

    const INSTANCE: InstanceKey = InstanceKey::new(1_000);

    /// The rows of one instance.
    #[derive(Default)]
    struct Rows {
        record: Vec<u8>,
        pages: BTreeMap<(RecordPageKind, ElementInstanceKey), RecordPage>,
        variables: BTreeMap<(ElementInstanceKey, std::sync::Arc<str>), VariableRow>,
    }

    impl Rows {
        fn write(&mut self, old: &Record, new: &Record) {
            let engine = EngineName::from("e");
            self.record = codec::encode(new);
            for write in page_writes(&engine, INSTANCE, Some(old), Some(new)) {
                match write {
                    RecordPageWrite::Put(row) => {
                        self.pages.insert((row.kind, row.first), row);
                    }
                    RecordPageWrite::Delete { kind, first, .. } => {
                        assert!(self.pages.remove(&(kind, first)).is_some(), "it was there");
                    }
                    RecordPageWrite::DeleteAll { .. } => self.pages.clear(),
                }
            }
            let (writes, _) = codec::large_variables(&engine, INSTANCE, Some(old), Some(new));
            for write in writes {
                match write {
                    VariableWrite::Put(row) => {
                        self.variables.insert((row.scope, row.name.clone()), row);
                    }
                    VariableWrite::Delete { scope, name, .. } => {
                        self.variables.remove(&(scope, name));
                    }
                    VariableWrite::DeleteAll { .. } => self.variables.clear(),
                }
            }
        }

        fn read(&self) -> Record {
            let row = InstanceRow {
                key: INSTANCE,
                rev: 1,
                engine: EngineName::from("e"),
                tenant: TenantId::none(),
                definition: DefinitionKey::new(1),
                business_key: None,
                record: self.record.clone(),
                events: Vec::new(),
                caller: None,
                root: None,
            };
            let pages = self.pages.values().rev().cloned().collect();
            let variables = self.variables.values().cloned().collect();
            codec::decode(&LoadedInstance { row, variables, pages }).expect("what was written")
        }
    }

    fn empty() -> Record {
        let row = Rows {
            record: RecordWriter::new(5, None).finish(None, [].into_iter(), None),
            ..Rows::default()
        };
        row.read()
    }

    /// A token with a job, and a variable that may be large.
    fn add(record: &mut Record, key: i64, size: usize, parked: &mut BTreeMap<JobKey, u64>) {
        let (scope, at) = (INSTANCE.root_scope(), record.started_at);
        let key = ElementInstanceKey::new(key);
        let mut element = ElementInstance::new(key, ElementId::from("work"), scope, at);
        element.state = ElementState::Active;
        let job = JobKey::new(key.raw() + 1_000_000);
        element.jobs.push(parked_job(job));
        record.elements.insert(element);
        let mut own = Variables::new();
        own.insert("text".into(), StoredValue::text(&"x".repeat(size)));
        record.variables.insert(key, own);
        let last = parked.values().max().copied().unwrap_or_default();
        parked.insert(job, last + 1);
    }

    fn queue(parked: &BTreeMap<JobKey, u64>) -> ExclusiveQueue {
        let holder = Some(JobKey::new(7));
        ExclusiveQueue::from_parts(holder, parked.iter().map(|(job, ticket)| (*ticket, *job)))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Whatever changes between two steps, what is read is what was written, and the queue
        /// keeps its order.
        #[test]
        fn a_record_comes_back_from_its_rows(
            steps in prop::collection::vec(
                (prop::collection::vec((0i64..200, any::<bool>(), 0usize..1_200), 1..40), any::<bool>()),
                1..12,
            ),
        ) {
            let (mut record, mut rows) = (empty(), Rows::default());
            let mut parked = BTreeMap::new();
            for (changes, is_reloaded) in steps {
                let old = record.clone();
                for (key, is_added, size) in changes {
                    let key = 2_000 + key;
                    let scope = ElementInstanceKey::new(key);
                    match is_added {
                        true if record.elements.get(scope).is_none() => {
                            add(&mut record, key, size, &mut parked);
                        }
                        true => {}
                        false => {
                            record.elements.remove(scope);
                            record.variables.remove(&scope);
                            parked.remove(&JobKey::new(key + 1_000_000));
                        }
                    }
                }
                record.exclusive = queue(&parked);
                rows.write(&old, &record);
                let read = rows.read();
                prop_assert_eq!(&read, &record);
                if is_reloaded {
                    record = read;
                    for (job, ticket) in &mut parked {
                        *ticket = record.exclusive.ticket(*job).expect("it waits");
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_told_to_listeners_comes_back_too() {
        let mut record = empty();
        let old = record.clone();
        record.tags = ["team:blue".into(), "urgent".into()].into();
        record.stops_after = vec!["pay".into()];
        Arc::make_mut(&mut record.root).after = Some(Box::new(After::Cancelled));
        let key = ElementInstanceKey::new(2_001);
        let (scope, at) = (INSTANCE.root_scope(), record.started_at);
        let mut element = ElementInstance::new(key, ElementId::from("ask"), scope, at);
        element.state = ElementState::Ending;
        element.after = Some(Box::new(After::Event {
            event: "late".into(),
            with: Variables::from_iter([("n".into(), StoredValue::int(7))]),
        }));
        let before = TaskProperties { priority: 50, ..TaskProperties::default() };
        let now = TaskProperties {
            assignee: Some("eva".into()),
            candidate_groups: vec!["a".into(), "b".into()],
            candidate_users: vec!["adam".into()],
            due_at: Some(Timestamp::from_ms(-1)),
            follow_up_at: Some(Timestamp::from_ms(1_900_000_000_000)),
            priority: -3,
            form_key: Some("form".into()),
            name: Some("Ask".into()),
            description: Some("who it is".into()),
            owner: Some("kim".into()),
            category: Some("c".into()),
        };
        let own = ["mine".into()].into();
        element.task = Some(Box::new(Task { key: UserTaskKey::new(2_002), now, before, own }));
        element.jobs.push(Job {
            kind: JobKind::Listener { index: 3 },
            headers: Some([("a".into(), "1".into()), ("b".into(), "".into())].into()),
            ..parked_job(JobKey::new(2_003))
        });
        record.elements.insert(element);
        record.exclusive = queue(&BTreeMap::from([(JobKey::new(2_003), 1)]));
        let mut rows = Rows::default();
        rows.write(&old, &record);
        assert_eq!(rows.read(), record);
    }

    #[test]
    fn one_step_of_a_large_record_writes_what_it_touches() {
        let mut record = empty();
        let mut parked = BTreeMap::new();
        for key in 0..5_000 {
            add(&mut record, 2_000 + key, 8, &mut parked);
        }
        record.exclusive = queue(&parked);
        let head = codec::encode(&record).len();
        let engine = EngineName::from("e");
        let old = record.clone();
        record.elements.remove(ElementInstanceKey::new(4_000));
        record.variables.remove(&ElementInstanceKey::new(4_000));
        let writes = page_writes(&engine, INSTANCE, Some(&old), Some(&record));
        assert_eq!(writes.len(), 2, "a page of element instances and one of variables");
        assert!(head < 4_096, "the head has {head} bytes");
    }

    #[test]
    fn pages_out_of_order_are_damage() {
        let page = |first: i64, keys: &[i64]| Page {
            first: ElementInstanceKey::new(first),
            entries: keys.iter().map(|key| (ElementInstanceKey::new(*key), ())).collect(),
        };
        let head = [ElementInstanceKey::new(3)];
        let is_right = |pages: &[Page<_, ()>]| check_order(&head, pages, |key| *key).is_ok();
        assert!(is_right(&[page(4, &[4, 6]), page(8, &[9])]));
        assert!(!is_right(&[page(4, &[4, 8]), page(8, &[9])]), "beyond its end");
        assert!(!is_right(&[page(4, &[3, 6])]), "before its beginning");
        assert!(!is_right(&[page(4, &[6, 4])]), "not by key");
        assert!(!is_right(&[page(2, &[4])]), "the head goes on behind it");
        assert!(!is_right(&[page(4, &[])]), "empty");
    }

    fn parked_job(key: JobKey) -> Job {
        Job {
            key,
            kind: JobKind::AsyncBefore,
            job_type: Default::default(),
            state: JobState::Parked,
            retries_left: 3,
            priority: 0,
            exclusive: true,
            due_at: None,
            failed_before: false,
            still_held: false,
            category: None,
            limit_key: None,
            headers: Default::default(),
        }
    }
}
