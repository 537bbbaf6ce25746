//! What foreign code answered in this attempt, kept for the case that the attempt is repeated.

use std::cell::Cell;
use std::collections::BTreeMap;

use orloj_types::{ElementId, ElementInstanceKey};

use crate::invoke::{InvokeResult, InvokeResults};

/// Which call an answer belongs to. Keys are repeated when an attempt is repeated: on another way
/// through the process the same key can come to another element, whose code has not been called.
/// The element is unknown for results that came with the input.
type Call = (ElementInstanceKey, u32, Option<ElementId>);

#[derive(Debug, Default)]
pub(crate) struct Answers {
    /// Nearly every command has no other; it needs no memory of its own.
    last: Option<(Call, Answer)>,
    earlier: BTreeMap<Call, Answer>,
}

#[derive(Debug)]
struct Answer {
    result: InvokeResult,
    used: Cell<bool>,
}

impl Answers {
    pub(crate) fn put(
        &mut self,
        key: ElementInstanceKey,
        ordinal: u32,
        element: ElementId,
        result: InvokeResult,
    ) {
        let call = (key, ordinal, Some(element));
        let answer = Answer { result, used: Cell::new(false) };
        // One that is given anew replaces the other, wherever that is.
        self.earlier.remove(&call);
        match self.last.replace((call, answer)) {
            Some((before, _)) if self.last.as_ref().is_some_and(|(call, _)| *call == before) => {}
            Some((before, answer)) => {
                self.earlier.insert(before, answer);
            }
            None => {}
        }
    }

    pub(crate) fn find(
        &self,
        key: ElementInstanceKey,
        ordinal: u32,
        element: &ElementId,
    ) -> Option<InvokeResult> {
        if self.last.is_none() && self.earlier.is_empty() {
            return None;
        }
        let call = (key, ordinal, Some(element.clone()));
        let answer = self.get(&call).or_else(|| self.get(&(key, ordinal, None)))?;
        answer.used.set(true);
        Some(answer.result.clone())
    }

    pub(crate) fn is_used(
        &self,
        key: ElementInstanceKey,
        ordinal: u32,
        element: &ElementId,
    ) -> bool {
        let call = (key, ordinal, Some(element.clone()));
        self.get(&call).is_some_and(|answer| answer.used.get())
    }

    /// Those that found no token any more, in the order of their keys.
    pub(crate) fn unused(&self) -> Vec<ElementInstanceKey> {
        let unused = self.all().filter(|(_, answer)| !answer.used.get());
        let mut keys: Vec<_> = unused.map(|((key, ..), _)| *key).collect();
        keys.sort_unstable();
        keys
    }

    pub(crate) fn reset(&self) {
        for (_, answer) in self.all() {
            answer.used.set(false);
        }
    }

    fn get(&self, call: &Call) -> Option<&Answer> {
        match &self.last {
            Some((last, answer)) if last == call => Some(answer),
            _ => self.earlier.get(call),
        }
    }

    fn all(&self) -> impl Iterator<Item = (&Call, &Answer)> {
        let last = self.last.iter().map(|(call, answer)| (call, answer));
        self.earlier.iter().chain(last)
    }
}

impl From<InvokeResults> for Answers {
    fn from(results: InvokeResults) -> Self {
        let answers = results.into_iter().map(|((key, ordinal), result)| {
            ((key, ordinal, None), Answer { result, used: Cell::new(false) })
        });
        Self { last: None, earlier: answers.collect() }
    }
}
