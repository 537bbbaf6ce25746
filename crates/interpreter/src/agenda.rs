//! What is still to be done in this command. An explicit list, so that a long chain of elements
//! costs time but no stack.

use std::collections::VecDeque;

use orloj_model::{ElementIndex, FlowIndex, Walk};
use orloj_types::ElementInstanceKey;

#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// A token comes to an element by a flow.
    Enter { flow: FlowIndex, scope: ElementInstanceKey },
    /// A start event, which no flow leads to.
    Start { element: ElementIndex },
    /// An element whose work is foreign code.
    Call { key: ElementInstanceKey, element: ElementIndex },
}

#[derive(Debug)]
pub(crate) struct Agenda {
    steps: VecDeque<Step>,
    walk: Walk,
    /// How many steps at the front came from the step at work.
    fresh: usize,
}

impl Agenda {
    pub(crate) fn new(walk: Walk) -> Self {
        Self { steps: VecDeque::new(), walk, fresh: 0 }
    }

    pub(crate) fn push(&mut self, step: Step) {
        match self.walk {
            Walk::BreadthFirst => self.steps.push_back(step),
            Walk::DepthFirst => {
                self.steps.insert(self.fresh, step);
                self.fresh += 1;
            }
        }
    }

    /// The step comes before everything else: it is the rest of the one at work.
    pub(crate) fn push_next(&mut self, step: Step) {
        self.steps.push_front(step);
        self.fresh += 1;
    }

    pub(crate) fn pop(&mut self) -> Option<Step> {
        self.fresh = 0;
        self.steps.pop_front()
    }
}
