use crate::error::ParseError;

/// A word of the text and where it begins.
#[derive(Clone, Copy)]
pub(super) struct Word<'a> {
    pub text: &'a str,
    pub offset: usize,
}

impl<'a> Word<'a> {
    pub fn wrong(self, message: &str) -> ParseError {
        ParseError::new(format!("{message}: '{}'", self.text), self.offset)
    }

    pub fn split(self, by: char) -> impl Iterator<Item = Word<'a>> {
        self.text
            .split(by)
            .map(move |text| Word { text, offset: self.offset + place(self.text, text) })
    }
}

pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    text.split_whitespace().map(|word| Word { text: word, offset: place(text, word) }).collect()
}

/// Where `part`, a slice of `whole`, begins.
fn place(whole: &str, part: &str) -> usize {
    part.as_ptr() as usize - whole.as_ptr() as usize
}
