//! Arrays of rows in PostgreSQL's binary form.
//!
//! Written straight from the changes into the bytes that travel, without a value per cell in
//! between. The server checks number and types of the columns against the composite type.

use std::error::Error;

use bytes::{BufMut, BytesMut};
use tokio_postgres::types::{IsNull, ToSql, Type};

use crate::sql::RowType;

#[derive(Clone, Debug)]
pub(crate) struct RowArray {
    kind: RowType,
    rows: i32,
    body: Vec<u8>,
}

impl RowArray {
    pub fn new(kind: &RowType) -> Self {
        Self { kind: kind.clone(), rows: 0, body: Vec::new() }
    }

    pub fn reserve(&mut self, bytes: usize) {
        self.body.reserve(bytes);
    }

    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    pub fn bytes(&self) -> usize {
        self.body.len()
    }

    /// An array for each row. A row begins with its length.
    pub fn singles(&self) -> Vec<Self> {
        let mut rest = &self.body[..];
        let mut singles = Vec::new();
        while let Some((length, _)) = rest.split_first_chunk::<4>() {
            let length = usize::try_from(i32::from_be_bytes(*length)).unwrap_or(usize::MAX);
            let Some((row, others)) = rest.split_at_checked(length.saturating_add(4)) else {
                break;
            };
            singles.push(Self { kind: self.kind.clone(), rows: 1, body: row.to_vec() });
            rest = others;
        }
        singles
    }

    /// What a statement is given for its parameter.
    pub fn param(&self) -> (&(dyn ToSql + Sync), Type) {
        (self, self.kind.array.clone())
    }

    /// Appends a row; its columns are written by `write`, in the order of the type.
    pub fn push(&mut self, write: impl FnOnce(&mut RowWriter<'_>)) {
        put_row(&mut self.body, write);
        self.rows += 1;
    }
}

/// Length and number of columns come first, and are known last.
fn put_row(body: &mut Vec<u8>, write: impl FnOnce(&mut RowWriter<'_>)) {
    let start = body.len();
    body.put_i32(0);
    body.put_i32(0);
    let mut writer = RowWriter { columns: 0, body: &mut *body };
    write(&mut writer);
    let columns = writer.columns;
    let length = body.len() - start - 4;
    put_at(body, start, length_of(length));
    put_at(body, start + 4, columns);
}

/// Writes the columns of one row.
pub(crate) struct RowWriter<'a> {
    columns: i32,
    body: &'a mut Vec<u8>,
}

impl RowWriter<'_> {
    pub fn int8(&mut self, value: i64) -> &mut Self {
        self.fixed(&Type::INT8, value.to_be_bytes())
    }

    pub fn int8_or_null(&mut self, value: Option<i64>) -> &mut Self {
        match value {
            Some(value) => self.int8(value),
            None => self.null(&Type::INT8),
        }
    }

    pub fn int4(&mut self, value: i32) -> &mut Self {
        self.fixed(&Type::INT4, value.to_be_bytes())
    }

    pub fn int2(&mut self, value: i16) -> &mut Self {
        self.fixed(&Type::INT2, value.to_be_bytes())
    }

    pub fn bool(&mut self, value: bool) -> &mut Self {
        self.fixed(&Type::BOOL, [value.into()])
    }

    pub fn bool_or_null(&mut self, value: Option<bool>) -> &mut Self {
        match value {
            Some(value) => self.bool(value),
            None => self.null(&Type::BOOL),
        }
    }

    pub fn text(&mut self, value: &str) -> &mut Self {
        self.column(&Type::TEXT, value.as_bytes())
    }

    pub fn text_or_null(&mut self, value: Option<&str>) -> &mut Self {
        match value {
            Some(value) => self.text(value),
            None => self.null(&Type::TEXT),
        }
    }

    pub fn bytes(&mut self, value: &[u8]) -> &mut Self {
        self.column(&Type::BYTEA, value)
    }

    pub fn bytes_or_null(&mut self, value: Option<&[u8]>) -> &mut Self {
        match value {
            Some(value) => self.bytes(value),
            None => self.null(&Type::BYTEA),
        }
    }

    pub fn texts<'t>(&mut self, values: impl ExactSizeIterator<Item = &'t str>) -> &mut Self {
        let mut array = BytesMut::new();
        put_array_header(&mut array, Type::TEXT.oid(), length_of(values.len()));
        for value in values {
            array.put_i32(length_of(value.len()));
            array.put_slice(value.as_bytes());
        }
        self.column(&Type::TEXT_ARRAY, &array)
    }

    /// A column that is a row; its columns are written by `write`.
    pub fn row(&mut self, kind: &RowType, write: impl FnOnce(&mut RowWriter<'_>)) {
        self.columns += 1;
        self.body.put_u32(kind.oid);
        put_row(self.body, write);
    }

    pub fn no_row(&mut self, kind: &RowType) {
        self.columns += 1;
        self.body.put_u32(kind.oid);
        self.body.put_i32(-1);
    }

    /// In one piece: a step writes dozens of columns.
    fn fixed<const BYTES: usize>(&mut self, kind: &Type, value: [u8; BYTES]) -> &mut Self {
        let mut cell = [0; HEADER_BYTES + 8];
        cell[..HEADER_BYTES].copy_from_slice(&header(kind, length_of(BYTES)));
        cell[HEADER_BYTES..HEADER_BYTES + BYTES].copy_from_slice(&value);
        self.columns += 1;
        self.body.extend_from_slice(&cell[..HEADER_BYTES + BYTES]);
        self
    }

    fn column(&mut self, kind: &Type, bytes: &[u8]) -> &mut Self {
        self.columns += 1;
        self.body.reserve(HEADER_BYTES + bytes.len());
        self.body.extend_from_slice(&header(kind, length_of(bytes.len())));
        self.body.extend_from_slice(bytes);
        self
    }

    fn null(&mut self, kind: &Type) -> &mut Self {
        self.columns += 1;
        self.body.extend_from_slice(&header(kind, -1));
        self
    }
}

impl ToSql for RowArray {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.reserve(self.body.len() + 20);
        put_array_header(out, self.kind.oid, self.rows);
        out.put_slice(&self.body);
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    tokio_postgres::types::to_sql_checked!();
}

/// Type and length, in front of every column.
const HEADER_BYTES: usize = 8;

fn header(kind: &Type, length: i32) -> [u8; HEADER_BYTES] {
    let (kind, length) = (kind.oid().to_be_bytes(), length.to_be_bytes());
    [kind[0], kind[1], kind[2], kind[3], length[0], length[1], length[2], length[3]]
}

fn put_array_header(out: &mut BytesMut, element: u32, length: i32) {
    const HAS_NULLS: i32 = 0;
    const FIRST_INDEX: i32 = 1;
    out.put_i32(i32::from(length > 0));
    out.put_i32(HAS_NULLS);
    out.put_u32(element);
    if length > 0 {
        out.put_i32(length);
        out.put_i32(FIRST_INDEX);
    }
}

fn put_at(body: &mut [u8], at: usize, value: i32) {
    body[at..at + 4].copy_from_slice(&value.to_be_bytes());
}

/// The protocol cannot say more; the server, which takes messages of at most 1 GB, refuses this
/// one as malformed long before.
fn length_of(bytes: usize) -> i32 {
    i32::try_from(bytes).unwrap_or(i32::MAX)
}
