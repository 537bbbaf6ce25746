//! A step in pieces: words, quoted texts and JSON objects.

use orloj_types::Document;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'t> {
    Word(&'t str),
    Quoted(&'t str),
    Json(Document),
}

pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, String> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '"' => rest[1..].find('"').map(|at| at + 2).ok_or("a quote is not closed")?,
            '{' => json_end(rest).ok_or("a brace is not closed")?,
            _ => rest.find(char::is_whitespace).unwrap_or(rest.len()),
        };
        let (piece, tail) = rest.split_at(end);
        found.push(match first {
            '"' => Token::Quoted(&piece[1..piece.len() - 1]),
            '{' => Token::Json(Document::parse(piece).map_err(|error| error.to_string())?),
            _ => Token::Word(piece),
        });
        rest = tail.trim_start();
    }
    Ok(found)
}

fn json_end(text: &str) -> Option<usize> {
    let (mut depth, mut in_text, mut is_escaped) = (0_usize, false, false);
    for (at, c) in text.char_indices() {
        if in_text {
            in_text = is_escaped || c != '"';
            is_escaped = c == '\\' && !is_escaped;
            continue;
        }
        match c {
            '"' => in_text = true,
            '{' => depth += 1,
            '}' if depth == 1 => return Some(at + 1),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Takes tokens from the front.
pub(super) struct Cursor<'c, 't> {
    tokens: &'c [Token<'t>],
}

impl<'c, 't> Cursor<'c, 't> {
    pub fn new(tokens: &'c [Token<'t>]) -> Self {
        Self { tokens }
    }

    pub fn word(&mut self, what: &str) -> Result<&'t str, String> {
        match self.tokens.split_first() {
            Some((Token::Word(word), rest)) => {
                self.tokens = rest;
                Ok(word)
            }
            _ => Err(format!("{what} is missing")),
        }
    }

    /// The word after `keyword`, if that comes next.
    pub fn after(&mut self, keyword: &str) -> Result<Option<&'t str>, String> {
        if self.tokens.first() != Some(&Token::Word(keyword)) {
            return Ok(None);
        }
        self.tokens = &self.tokens[1..];
        self.word(&format!("what follows '{keyword}'")).map(Some)
    }

    /// Whether `keyword` comes next; it is taken then.
    pub fn has(&mut self, keyword: &str) -> bool {
        let is_next = self.tokens.first() == Some(&Token::Word(keyword));
        if is_next {
            self.tokens = &self.tokens[1..];
        }
        is_next
    }

    pub fn quoted(&mut self) -> Option<String> {
        let (Token::Quoted(text), rest) = self.tokens.split_first()? else { return None };
        self.tokens = rest;
        Some((*text).to_owned())
    }

    pub fn json(&mut self) -> Option<Document> {
        let (Token::Json(document), rest) = self.tokens.split_first()? else { return None };
        self.tokens = rest;
        Some(document.clone())
    }

    pub fn end(&self) -> Result<(), String> {
        match self.tokens.first() {
            None => Ok(()),
            Some(Token::Word(word)) => Err(format!("'{word}' is not understood")),
            Some(other) => Err(format!("{other:?} is out of place")),
        }
    }
}
