//! Loops in which nothing ever waits: one token would keep the engine busy for ever.
//!
//! Zeebe follows the elements that pass tokens on at once, into subprocesses and called processes
//! and out of them again, from every task that does nothing by itself. Loops of gateways alone
//! that no such task leads to are accepted.
//!
//! Strongly connected components by Tarjan's algorithm, without recursion. Tarjan, R. (1972),
//! "Depth-first search and linear graph algorithms".

use std::collections::BTreeMap;

use orloj_types::Value;
use orloj_xml::quoted;

use crate::graph::{
    ElementIndex, ElementKind, StartEvent, SubProcess, SubProcessKind, Throw, Trigger,
};
use crate::read::context::Context;
use crate::read::draft::{Draft, DraftElement};

/// Elements of a loop that a message lists.
const LISTED_MAX: usize = 10;

pub(crate) fn check<'a>(ctx: &mut Context<'a>, draft: &Draft<'a>) {
    let edges = edges(draft);
    let reached = reached(draft, &edges);
    for mut members in Components::of(&edges).found {
        if !members.iter().any(|&member| reached[at(member)]) {
            continue;
        }
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
        Some(
            ElementKind::ExclusiveGateway
            | ElementKind::InclusiveGateway
            | ElementKind::ParallelGateway
            | ElementKind::StartEvent(_)
            | ElementKind::EndEvent(_)
            | ElementKind::ThrowEvent(_)
            | ElementKind::PlainTask
            | ElementKind::ScriptTask(_)
            | ElementKind::CallActivity(_)
            | ElementKind::CatchEvent(Some(Trigger::Link)),
        ) => true,
        Some(ElementKind::SubProcess(SubProcess { kind, .. })) => {
            matches!(kind, SubProcessKind::Embedded)
        }
        _ => false,
    }
}

/// What the search begins at.
fn is_idle(element: &DraftElement<'_>) -> bool {
    matches!(
        element.kind,
        Some(
            ElementKind::PlainTask
                | ElementKind::ScriptTask(_)
                | ElementKind::CallActivity(_)
                | ElementKind::ThrowEvent(_)
        )
    )
}

/// Where a token goes at once, by element. What waits leads nowhere.
fn edges(draft: &Draft<'_>) -> Vec<Vec<ElementIndex>> {
    let starts = none_starts(draft);
    let mut edges: Vec<Vec<ElementIndex>> =
        draft.indices().map(|index| next(draft, &starts, index)).collect();
    for targets in &mut edges {
        targets.retain(|&target| passes_at_once(draft.element(target)));
    }
    edges
}

fn next(draft: &Draft<'_>, starts: &NoneStarts, index: ElementIndex) -> Vec<ElementIndex> {
    let element = draft.element(index);
    if !passes_at_once(element) {
        return Vec::new();
    }
    let outgoing = |element: &DraftElement<'_>| -> Vec<ElementIndex> {
        element.outgoing.iter().map(|&flow| draft.flow(flow).flow.target).collect()
    };
    let start = |of: Option<ElementIndex>| starts.get(&of).copied().into_iter().collect();
    match &element.kind {
        Some(ElementKind::SubProcess(_)) => start(Some(index)),
        Some(ElementKind::CallActivity(call)) => match call.process.as_constant() {
            Some(Value::Text(id)) if **id == *draft.id.as_str() => start(None),
            _ => Vec::new(),
        },
        Some(ElementKind::ThrowEvent(Throw::Link(target))) => vec![*target],
        _ if !element.outgoing.is_empty() => outgoing(element),
        // A subprocess goes on where its last element ends; a loop of subprocesses is not followed.
        _ => match element.parent.map(|parent| draft.element(parent)) {
            Some(parent) if parent.multi.is_none() => outgoing(parent),
            _ => Vec::new(),
        },
    }
}

/// The start event without a trigger of each scope.
type NoneStarts = BTreeMap<Option<ElementIndex>, ElementIndex>;

fn none_starts(draft: &Draft<'_>) -> NoneStarts {
    let is_none = |index: &ElementIndex| {
        let kind = &draft.element(*index).kind;
        matches!(kind, Some(ElementKind::StartEvent(StartEvent { trigger: None, .. })))
    };
    draft.indices().filter(is_none).map(|index| (draft.element(index).parent, index)).collect()
}

fn reached(draft: &Draft<'_>, edges: &[Vec<ElementIndex>]) -> Vec<bool> {
    let mut waiting: Vec<ElementIndex> =
        draft.indices().filter(|&index| is_idle(draft.element(index))).collect();
    let mut reached = vec![false; edges.len()];
    while let Some(index) = waiting.pop() {
        if !std::mem::replace(&mut reached[at(index)], true) {
            waiting.extend(&edges[at(index)]);
        }
    }
    reached
}

const UNSEEN: u32 = u32::MAX;

struct Components<'e> {
    edges: &'e [Vec<ElementIndex>],
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

impl<'e> Components<'e> {
    fn of(edges: &'e [Vec<ElementIndex>]) -> Self {
        let count = edges.len();
        let mut components = Self {
            edges,
            number: vec![UNSEEN; count],
            low: vec![UNSEEN; count],
            next_number: 0,
            on_stack: vec![false; count],
            stack: Vec::new(),
            found: Vec::new(),
        };
        for index in (0..count as u32).map(ElementIndex) {
            if components.number[at(index)] == UNSEEN {
                components.explore(index);
            }
        }
        components
    }

    fn explore(&mut self, root: ElementIndex) {
        self.enter(root);
        // An element and how many of its ways were followed.
        let mut path = vec![(root, 0_usize)];
        while let Some((index, followed)) = path.last_mut() {
            let index = *index;
            let target = self.edges[at(index)].get(*followed).copied();
            *followed += 1;
            let Some(target) = target else {
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    self.low[at(parent)] = self.low[at(parent)].min(self.low[at(index)]);
                }
                self.leave(index);
                continue;
            };
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
        if members.len() > 1 || self.edges[at(index)].contains(&index) {
            self.found.push(members);
        }
    }
}

fn at(index: ElementIndex) -> usize {
    index.0 as usize
}
