//! The pages of a group's large records as the rows of the statements that write them.

use std::collections::BTreeMap;

use orloj_store::{Change, RecordPage, RecordPageKind, RecordPageWrite};
use orloj_types::{ElementInstanceKey, InstanceKey};
use tokio_postgres::types::{ToSql, Type};

use crate::one_by_one::parts;
use crate::row_array::RowArray;
use crate::sql::RowTypes;

pub(crate) struct PageRows {
    cleared: Vec<i64>,
    deleted: RowArray,
    put: RowArray,
}

impl PageRows {
    /// Writes of one change follow each other; statements write all of a kind at once. So the last
    /// word on each page is found first.
    pub fn new(changes: &[Change], types: &RowTypes) -> Self {
        type Name = (InstanceKey, RecordPageKind, ElementInstanceKey);
        let mut last: BTreeMap<Name, Option<&RecordPage>> = BTreeMap::new();
        let mut cleared = Vec::new();
        for write in changes.iter().flat_map(|change| &change.pages) {
            match write {
                RecordPageWrite::Put(row) => {
                    last.insert((row.instance, row.kind, row.first), Some(row));
                }
                RecordPageWrite::Delete { instance, kind, first } => {
                    last.insert((*instance, *kind, *first), None);
                }
                RecordPageWrite::DeleteAll { instance } => {
                    last.retain(|(of, ..), _| of != instance);
                    cleared.push(instance.raw());
                }
            }
        }
        let mut deleted = RowArray::new(&types.page_gone);
        let mut put = RowArray::new(&types.page_in);
        for ((instance, kind, first), row) in last {
            match row {
                Some(row) => put.push(|r| {
                    r.int8(instance.raw()).int2(kind as i16).int8(first.raw());
                    r.text(&row.engine).text(&row.tenant).bytes(&row.bytes);
                }),
                None => deleted.push(|r| {
                    r.int8(instance.raw()).int2(kind as i16).int8(first.raw());
                }),
            }
        }
        Self { cleared, deleted, put }
    }

    /// One for each row, in the order in which the procedure writes them.
    pub fn one_by_one(&self, types: &RowTypes) -> Vec<Self> {
        let empty = || Self {
            cleared: Vec::new(),
            deleted: RowArray::new(&types.page_gone),
            put: RowArray::new(&types.page_in),
        };
        parts!(self, empty(); cleared deleted put)
    }

    pub fn arrays(&self) -> [&RowArray; 2] {
        [&self.deleted, &self.put]
    }

    pub fn params(&self) -> [(&(dyn ToSql + Sync), Type); 3] {
        [(&self.cleared, Type::INT8_ARRAY), self.deleted.param(), self.put.param()]
    }
}
