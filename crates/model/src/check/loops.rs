//! Loops in which nothing ever waits: one token would keep the engine busy for ever.
//!
//! Strongly connected components by Tarjan's algorithm, without recursion, over the elements that
//! pass tokens on at once. Tarjan, R. (1972), "Depth-first search and linear graph algorithms".

use orloj_xml::quoted;

use crate::graph::{ElementIndex, ElementKind};
use crate::read::context::Context;
use crate::read::draft::{Draft, DraftElement};

/// Elements of a loop that a message lists.
const LISTED_MAX: usize = 10;

pub(crate) fn check<'a>(ctx: &mut Context<'a>, draft: &Draft<'a>) {
    for mut members in Components::of(draft).found {
        members.sort_unstable();
        let mut names: Vec<String> =
            members.iter().take(LISTED_MAX).map(|&m| quoted(&draft.element(m).id)).collect();
        if members.len() > LISTED_MAX {
            names.push(format!("{} more", members.len() - LISTED_MAX));
        }
        let first = &draft.elements[members[0].0 as usize];
        let message = format!("a loop in which nothing waits: {}", names.join(", "));
        ctx.error(&first.subject, "loop-without-wait", message);
    }
}

fn passes_at_once(element: &DraftElement<'_>) -> bool {
    match &element.kind {
        Some(ElementKind::ExclusiveGateway | ElementKind::ParallelGateway) => true,
        Some(ElementKind::NoneStart | ElementKind::NoneEnd) => true,
        Some(
            ElementKind::ServiceTask(_)
            | ElementKind::UserTask(_)
            // They change variables, so a loop through them can end.
            | ElementKind::ScriptTask(_)
            | ElementKind::DecisionTask(_)
            | ElementKind::TimerCatch(_)
            | ElementKind::TimerBoundary { .. }
            | ElementKind::ErrorBoundary { .. },
        ) => false,
        None => false,
    }
}

const UNSEEN: u32 = u32::MAX;

struct Components<'d, 'a> {
    draft: &'d Draft<'a>,
    /// Order of discovery.
    number: Vec<u32>,
    /// Smallest number reachable.
    low: Vec<u32>,
    next_number: u32,
    on_stack: Vec<bool>,
    stack: Vec<ElementIndex>,
    /// Components that are loops.
    found: Vec<Vec<ElementIndex>>,
}

impl<'d, 'a> Components<'d, 'a> {
    fn of(draft: &'d Draft<'a>) -> Self {
        let count = draft.elements.len();
        let mut components = Self {
            draft,
            number: vec![UNSEEN; count],
            low: vec![UNSEEN; count],
            next_number: 0,
            on_stack: vec![false; count],
            stack: Vec::new(),
            found: Vec::new(),
        };
        for index in draft.indices() {
            if passes_at_once(draft.element(index)) && components.number[at(index)] == UNSEEN {
                components.explore(index);
            }
        }
        components
    }

    fn explore(&mut self, root: ElementIndex) {
        self.enter(root);
        // An element and how many of its outgoing flows were followed.
        let mut path = vec![(root, 0_usize)];
        while let Some((index, followed)) = path.last_mut() {
            let index = *index;
            let flow = self.draft.element(index).outgoing.get(*followed).copied();
            *followed += 1;
            let Some(flow) = flow else {
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    self.low[at(parent)] = self.low[at(parent)].min(self.low[at(index)]);
                }
                self.leave(index);
                continue;
            };
            let target = self.draft.flow(flow).flow.target;
            if !passes_at_once(self.draft.element(target)) {
                continue;
            }
            if self.number[at(target)] == UNSEEN {
                self.enter(target);
                path.push((target, 0));
            } else if self.on_stack[at(target)] {
                self.low[at(index)] = self.low[at(index)].min(self.number[at(target)]);
            }
        }
    }

    fn enter(&mut self, index: ElementIndex) {
        self.number[at(index)] = self.next_number;
        self.low[at(index)] = self.next_number;
        self.next_number += 1;
        self.on_stack[at(index)] = true;
        self.stack.push(index);
    }

    fn leave(&mut self, index: ElementIndex) {
        if self.low[at(index)] != self.number[at(index)] {
            return;
        }
        let mut members = Vec::new();
        while let Some(member) = self.stack.pop() {
            self.on_stack[at(member)] = false;
            members.push(member);
            if member == index {
                break;
            }
        }
        if members.len() > 1 || self.leads_to_itself(index) {
            self.found.push(members);
        }
    }

    fn leads_to_itself(&self, index: ElementIndex) -> bool {
        let flows = &self.draft.element(index).outgoing;
        flows.iter().any(|&flow| self.draft.flow(flow).flow.target == index)
    }
}

fn at(index: ElementIndex) -> usize {
    index.0 as usize
}
