use crate::error::ParseError;

/// A place in a text that is read from left to right.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// Where `text` begins in the text that its author knows.
    base: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str, base: usize) -> Self {
        Self { text, at: 0, base }
    }

    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub fn is_done(&self) -> bool {
        self.at == self.text.len()
    }

    pub fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Takes one of these bytes, which are ASCII.
    pub fn take(&mut self, any_of: &[u8]) -> Option<u8> {
        let byte = self.peek().filter(|byte| any_of.contains(byte))?;
        self.at += 1;
        Some(byte)
    }

    pub fn take_while(&mut self, test: fn(&u8) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.bytes().take_while(|byte| byte.is_ascii() && test(byte)).count();
        self.at += length;
        &rest[..length]
    }

    pub fn digits(&mut self) -> &'a str {
        self.take_while(u8::is_ascii_digit)
    }

    pub fn offset(&self) -> usize {
        self.base + self.at
    }

    pub fn wrong(&self, expected: &str) -> ParseError {
        let message = match self.rest().chars().next() {
            Some(found) => format!("expected {expected}, found '{found}'"),
            None => format!("expected {expected}, found the end"),
        };
        ParseError::new(message, self.offset())
    }
}
