//! Names of several words, or with operators in them, which only those can read who know them.

use std::collections::HashMap;
use std::sync::Arc;

use super::lexer::{is_blank, is_name_part};

/// Longest name, in words and signs. It bounds how deep the tree of names is.
const PIECES_MAX: usize = 100;

/// The names an expression may use: variables, entries of contexts, functions. Where a text can be
/// read as one of them, it is, and the longest one wins; other texts parse as well.
#[derive(Clone, Debug, Default)]
pub struct Names {
    by_first: Branches,
}

/// A tree, so that looking for a name takes as long as the name is, however many others there are.
type Branches = HashMap<Box<str>, Branch>;

/// The names that begin with the same words and signs.
#[derive(Clone, Debug, Default)]
struct Branch {
    /// The one that ends here.
    name: Option<Arc<str>>,
    longer: Branches,
}

impl Names {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn add(&mut self, name: &str) {
        let mut branches = &mut self.by_first;
        let mut pieces = pieces(name).peekable();
        if pieces.clone().nth(PIECES_MAX).is_some() {
            return;
        }
        while let Some(piece) = pieces.next() {
            let branch = branches.entry(piece.into()).or_default();
            if pieces.peek().is_none() && branch.name.is_none() {
                branch.name = Some(name.trim().into());
            }
            branches = &mut branch.longer;
        }
    }

    pub fn contains(&self, name: &str) -> bool {
        let mut pieces = pieces(name);
        let first = pieces.next().and_then(|first| self.by_first.get(first));
        let last = pieces.try_fold(first, |branch, piece| Some(branch?.longer.get(piece)));
        last.flatten().is_some_and(|branch| branch.name.is_some())
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
        let mut branch = self.by_first.get(first)?;
        let (mut count, mut rest) = (1, &text[first.len()..]);
        let mut longest = branch.name.as_ref().map(|name| (name, count, first.len()));
        while !branch.longer.is_empty() {
            rest = rest.trim_start_matches(is_blank);
            let length = piece_length(rest);
            let Some(next) = branch.longer.get(&rest[..length]) else { break };
            (branch, count, rest) = (next, count + 1, &rest[length..]);
            if let Some(name) = &branch.name {
                longest = Some((name, count, text.len() - rest.len()));
            }
        }
        longest
    }

    /// The word if a longer name begins with it; with a parenthesis as well if the name has one
    /// behind it.
    pub(super) fn beginnings(&self, word: &str) -> impl Iterator<Item = Box<str>> {
        let branch = self.by_first.get(word);
        let longer = branch.is_some_and(|branch| !branch.longer.is_empty());
        let called = branch.is_some_and(|branch| branch.longer.contains_key("("));
        let alone = longer.then(|| word.into());
        alone.into_iter().chain(called.then(|| format!("{word}(").into()))
    }

    /// Of all words that begin a name.
    pub(super) fn all_beginnings(&self) -> impl Iterator<Item = Box<str>> {
        self.by_first.keys().flat_map(|word| self.beginnings(word))
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

/// Words and single signs.
fn pieces(name: &str) -> impl Iterator<Item = &str> + Clone {
    let mut rest = name;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(is_blank);
        let (piece, behind) = rest.split_at(piece_length(rest));
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    })
}

fn piece_length(text: &str) -> usize {
    match text.find(|c| !is_name_part(c)) {
        Some(0) => text.chars().next().map_or(0, char::len_utf8),
        Some(end) => end,
        None => text.len(),
    }
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
