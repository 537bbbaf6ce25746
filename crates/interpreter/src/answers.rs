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
pub(crate) struct Answers(BTreeMap<Call, Answer>);

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
        self.0.insert((key, ordinal, Some(element)), Answer { result, used: Cell::new(false) });
    }

    pub(crate) fn find(
        &self,
        key: ElementInstanceKey,
        ordinal: u32,
        element: &ElementId,
    ) -> Option<InvokeResult> {
        let mut call = (key, ordinal, Some(element.clone()));
        if !self.0.contains_key(&call) {
            call.2 = None;
        }
        let answer = self.0.get(&call)?;
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
        self.0.get(&call).is_some_and(|answer| answer.used.get())
    }

    /// Those that found no token any more.
    pub(crate) fn unused(&self) -> impl Iterator<Item = ElementInstanceKey> + '_ {
        self.0.iter().filter(|(_, answer)| !answer.used.get()).map(|((key, ..), _)| *key)
    }

    pub(crate) fn reset(&self) {
        for answer in self.0.values() {
            answer.used.set(false);
        }
    }
}

impl From<InvokeResults> for Answers {
    fn from(results: InvokeResults) -> Self {
        let answers = results.into_iter().map(|((key, ordinal), result)| {
            ((key, ordinal, None), Answer { result, used: Cell::new(false) })
        });
        Self(answers.collect())
    }
}
