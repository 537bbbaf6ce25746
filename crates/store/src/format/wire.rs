//! Protobuf, written from what is at hand: a step writes a record and its history, and would
//! otherwise copy every name in them first.
//!
//! As in messages derived from their structs, a field that has its default is not written.

use prost::encoding::{WireType, encode_varint};

pub(crate) struct Wire<'a>(pub &'a mut Vec<u8>);

impl Wire<'_> {
    pub fn uint(&mut self, field: u32, value: u64) {
        if value != 0 {
            self.some_uint(field, value);
        }
    }

    pub fn some_uint(&mut self, field: u32, value: u64) {
        self.key(field, WireType::Varint);
        self.varint(value);
    }

    /// Small when it is close to zero, on either side.
    pub fn sint(&mut self, field: u32, value: i64) {
        if value != 0 {
            self.some_sint(field, value);
        }
    }

    pub fn some_sint(&mut self, field: u32, value: i64) {
        self.some_uint(field, zigzag(value));
    }

    pub fn bytes(&mut self, field: u32, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.some_bytes(field, bytes);
        }
    }

    pub fn some_bytes(&mut self, field: u32, bytes: &[u8]) {
        self.key(field, WireType::LengthDelimited);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    pub fn nested(&mut self, field: u32, write: impl FnOnce(&mut Wire<'_>)) {
        self.key(field, WireType::LengthDelimited);
        self.delimited(write);
    }

    pub fn packed_sints(&mut self, field: u32, values: impl ExactSizeIterator<Item = i64>) {
        if values.len() > 0 {
            self.nested(field, |wire| {
                values.for_each(|value| wire.varint(zigzag(value)));
            });
        }
    }

    /// A message with its length in front. Most lengths take one byte, which is kept free; the
    /// rest of a longer one is put in between.
    pub fn delimited(&mut self, write: impl FnOnce(&mut Wire<'_>)) {
        let at = self.0.len();
        self.0.push(0);
        write(&mut Wire(self.0));
        let length = self.0.len() - at - 1;
        if let Ok(short @ 0..0x80) = u8::try_from(length) {
            self.0[at] = short;
            return;
        }
        let mut prefix = Vec::with_capacity(10);
        encode_varint(length as u64, &mut prefix);
        self.0.splice(at..=at, prefix);
    }

    fn key(&mut self, field: u32, kind: WireType) {
        self.varint(u64::from(field << 3 | kind as u32));
    }

    /// Nearly all take one byte.
    fn varint(&mut self, value: u64) {
        match u8::try_from(value) {
            Ok(short @ 0..0x80) => self.0.push(short),
            _ => encode_varint(value, self.0),
        }
    }
}

/// `prost` keeps its own to itself, and packs slices only.
fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}
