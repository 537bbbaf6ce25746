//! Names of several words, or with operators in them, which only those can read who know them.

use std::collections::HashMap;
use std::sync::Arc;

use super::lexer::{is_blank, is_name_part};

/// The names an expression may use: variables, entries of contexts, functions. Where a text can be
/// read as one of them, it is, and the longest one wins; other texts parse as well.
#[derive(Clone, Debug, Default)]
pub struct Names {
    by_first: HashMap<Box<str>, Vec<Known>>,
}

#[derive(Clone, Debug)]
struct Known {
    name: Arc<str>,
    /// Words and single signs.
    pieces: Box<[Box<str>]>,
}

impl Names {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn add(&mut self, name: &str) {
        let pieces = pieces(name);
        let Some(first) = pieces.first() else { return };
        let known = self.by_first.entry(first.clone()).or_default();
        if known.iter().any(|other| other.pieces == pieces) {
            return;
        }
        // Longest first, so that the first match is the one to take.
        let at = known.partition_point(|other| other.pieces.len() > pieces.len());
        known.insert(at, Known { name: name.trim().into(), pieces });
    }

    pub fn contains(&self, name: &str) -> bool {
        let pieces = pieces(name);
        let known = pieces.first().and_then(|first| self.by_first.get(first));
        known.is_some_and(|known| known.iter().any(|other| other.pieces == pieces))
    }

    pub fn is_empty(&self) -> bool {
        self.by_first.is_empty()
    }

    /// The longest known name that `text` starts with, `first` being its first word: the name, how
    /// many pieces it has and how many bytes it takes.
    pub(super) fn longest(&self, text: &str, first: &str) -> Option<(&Arc<str>, usize, usize)> {
        if self.by_first.is_empty() {
            return None;
        }
        let known = self.by_first.get(first)?;
        known.iter().find_map(|known| {
            let length = match_pieces(text, known.pieces.iter().map(|piece| &**piece))?;
            Some((&known.name, known.pieces.len(), length))
        })
    }
}

impl<S: AsRef<str>> FromIterator<S> for Names {
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Self {
        let mut known = Self::new();
        for name in names {
            known.add(name.as_ref());
        }
        known
    }
}

/// How many bytes of `text` the pieces take, with any blanks between them.
pub(super) fn match_pieces<'p>(text: &str, pieces: impl Iterator<Item = &'p str>) -> Option<usize> {
    let mut rest = text;
    for piece in pieces {
        rest = rest.trim_start_matches(is_blank).strip_prefix(piece)?;
        let is_word = piece.ends_with(is_name_part);
        if is_word && rest.starts_with(is_name_part) {
            return None;
        }
    }
    Some(text.len() - rest.len())
}

fn pieces(name: &str) -> Box<[Box<str>]> {
    let mut pieces = Vec::new();
    let mut rest = name.trim_start_matches(is_blank);
    while let Some(first) = rest.chars().next() {
        let end = match rest.find(|c| !is_name_part(c)) {
            Some(0) => first.len_utf8(),
            Some(end) => end,
            None => rest.len(),
        };
        pieces.push(rest[..end].into());
        rest = rest[end..].trim_start_matches(is_blank);
    }
    pieces.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_wins() {
        let names: Names = ["a", "a b", "a b-c", "in stock"].into_iter().collect();
        let longest = |text: &str, first: &str| {
            names.longest(text, first).map(|(name, _, length)| (name.to_string(), length))
        };
        assert_eq!(longest("a  b - c + 1", "a"), Some(("a b-c".into(), 8)));
        assert_eq!(longest("a b + c", "a"), Some(("a b".into(), 3)));
        assert_eq!(longest("a bc", "a"), Some(("a".into(), 1)));
        assert_eq!(longest("in stock", "in"), Some(("in stock".into(), 8)));
        assert_eq!(longest("b", "b"), None);
        assert!(names.contains("a  b") && !names.contains("b"));
    }
}
