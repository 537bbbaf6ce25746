//! Byte offsets to lines and columns, in constant time each.
//!
//! A file may be one line of megabytes with a problem in every element, so neither lines nor
//! characters may be counted from the start for each of them.

use crate::position::Position;

/// Characters are counted ahead in steps of this many bytes.
const STEP_BYTES: usize = 128;

pub struct Places<'i> {
    text: &'i str,
    line_starts: Vec<usize>,
    /// Characters before the byte offset `index * STEP_BYTES`.
    chars_before: Vec<usize>,
}

impl<'i> Places<'i> {
    pub fn new(text: &'i str) -> Self {
        let mut line_starts = vec![0];
        let mut chars_before = Vec::with_capacity(text.len() / STEP_BYTES + 1);
        let mut chars = 0;
        for (at, &byte) in text.as_bytes().iter().enumerate() {
            if at.is_multiple_of(STEP_BYTES) {
                chars_before.push(chars);
            }
            chars += usize::from(starts_char(byte));
            if byte == b'\n' {
                line_starts.push(at + 1);
            }
        }
        if text.len().is_multiple_of(STEP_BYTES) {
            chars_before.push(chars);
        }
        Self { text, line_starts, chars_before }
    }

    pub fn text(&self) -> &'i str {
        self.text
    }

    pub fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let line = self.line_starts.partition_point(|&start| start <= offset);
        let line_start = self.line_starts[line - 1];
        let column = self.chars_to(offset) - self.chars_to(line_start) + 1;
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Position { line: number(line), column: number(column) }
    }

    fn chars_to(&self, offset: usize) -> usize {
        let step = offset / STEP_BYTES;
        let rest = &self.text.as_bytes()[step * STEP_BYTES..offset];
        self.chars_before[step] + rest.iter().filter(|&&byte| starts_char(byte)).count()
    }
}

fn starts_char(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_counting_from_the_start() {
        let text = format!("{}\n\u{e9}\u{e9}x\r\n{}é", "äb".repeat(200), "z".repeat(128));
        let places = Places::new(&text);
        for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
            let before = &text[..offset];
            let line = before.matches('\n').count() as u32 + 1;
            let in_line = before.rsplit('\n').next().unwrap_or_default();
            let column = in_line.chars().count() as u32 + 1;
            assert_eq!(places.position(offset), Position { line, column }, "offset {offset}");
        }
    }

    #[test]
    fn any_offset_has_a_position() {
        let first = Position { line: 1, column: 1 };
        assert_eq!(Places::new("").position(0), first);
        assert_eq!(Places::new("").position(99), first);
        let exactly_a_step = "x".repeat(STEP_BYTES);
        let end = Position { line: 1, column: 129 };
        assert_eq!(Places::new(&exactly_a_step).position(usize::MAX), end);
    }
}
