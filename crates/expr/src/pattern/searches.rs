use regex::{Captures, Match};
use regex_automata::Input;
use regex_automata::hybrid::dfa::{Cache, DFA};

use super::compiled::Pattern;

/// Bytes that searches may be taken to read before it is worth finding out how many they are.
const UNSEEN_BYTES: usize = 1 << 18;
/// Most searches stop at their match.
const UNSEEN_BYTES_PER_STEP: usize = 64;
/// They are read twice: to find out, and to find the match.
const BYTES_PER_STEP: usize = 8;
/// A search costs at least this, whatever it reads.
const SEARCH_STEPS: usize = 2;
/// Where matches are no longer than this, a search reads hardly more than what it finds.
const SHORT_BYTES: usize = 64;
/// Where the groups are is found by going through the match once more, slowly.
pub const GROUP_BYTES_PER_STEP: usize = 4;
const READER_STEPS: usize = 500;

/// The matches in one text, one search after the other, and what each search costs.
pub struct Searches<'p, 't> {
    pattern: &'p Pattern,
    text: &'t str,
    from: usize,
    last_end: Option<usize>,
    unseen_left: usize,
    reader: Option<(&'p DFA, Cache)>,
}

impl<'p, 't> Searches<'p, 't> {
    pub fn new(pattern: &'p Pattern, text: &'t str) -> Self {
        let unseen_left = UNSEEN_BYTES;
        Self { pattern, text, from: 0, last_end: None, unseen_left, reader: None }
    }

    /// Of the next search.
    pub fn steps(&mut self) -> usize {
        let rest = self.text.len().saturating_sub(self.from);
        if self.pattern.match_bytes_max().is_some_and(|most| most <= SHORT_BYTES) && self.from > 0 {
            return SEARCH_STEPS;
        }
        if let Some(left) = self.unseen_left.checked_sub(rest) {
            self.unseen_left = left;
            return SEARCH_STEPS + rest / UNSEEN_BYTES_PER_STEP;
        }
        self.unseen_left = 0;
        let mut steps = SEARCH_STEPS;
        if self.reader.is_none() {
            steps += READER_STEPS;
            self.reader = self.pattern.reader().map(|dfa| (dfa, dfa.create_cache()));
        }
        let read = match &mut self.reader {
            Some((dfa, cache)) => read_by_search(dfa, cache, self.text, self.from).unwrap_or(rest),
            None => rest,
        };
        steps + read / BYTES_PER_STEP
    }

    pub fn next_match(&mut self) -> Option<Match<'t>> {
        loop {
            let found = self.pattern.regex().find_at(self.text, self.checked_from()?)?;
            if self.moved(&found) {
                return Some(found);
            }
        }
    }

    /// With the groups, which takes longer: a step for every [`GROUP_BYTES_PER_STEP`] of the match.
    pub fn next_captures(&mut self) -> Option<Captures<'t>> {
        loop {
            let found = self.pattern.regex().captures_at(self.text, self.checked_from()?)?;
            if self.moved(&found.get(0)?) {
                return Some(found);
            }
        }
    }

    fn checked_from(&self) -> Option<usize> {
        Some(self.from).filter(|from| *from <= self.text.len())
    }

    /// To where the next search begins. A match of nothing right behind a match is one in Java
    /// only.
    fn moved(&mut self, found: &Match<'_>) -> bool {
        let counts =
            self.pattern.is_java() || !found.is_empty() || self.last_end != Some(found.end());
        self.from = match found.is_empty() {
            true => {
                let next = self.text[found.end()..].chars().next();
                found.end() + next.map_or(1, char::len_utf8)
            }
            false => found.end(),
        };
        self.last_end = Some(found.end());
        counts
    }
}

/// Bytes until the automaton knows the match, or that there is none. `None`: it cannot say.
fn read_by_search(dfa: &DFA, cache: &mut Cache, text: &str, from: usize) -> Option<usize> {
    let input = Input::new(text).range(from..);
    let mut state = dfa.start_state_forward(cache, &input).ok()?;
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate().skip(from) {
        state = dfa.next_state(cache, state, *byte).ok()?;
        if state.is_dead() {
            return Some(at - from);
        }
        if state.is_quit() {
            return None;
        }
    }
    Some(bytes.len() - from)
}
