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
    let ways = ways(draft);
    let reached = reached(draft, &ways);
    for stops in Components::of(&ways).found {
        if !stops.iter().any(|&stop| reached[stop]) {
            continue;
        }
        let elements = stops.into_iter().filter(|&stop| stop < draft.elements.len());
        let mut members: Vec<_> = elements.map(|stop| ElementIndex(stop as u32)).collect();
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

/// Where a token may be: at an element, by its index, or at the end of a subprocess, by the index
/// of the subprocess behind all elements. All that ends in a subprocess leads to that one stop, so
/// there are never more ways than elements and flows.
type Stop = usize;

/// Where a token goes at once, by stop. What waits leads nowhere.
fn ways(draft: &Draft<'_>) -> Vec<Vec<Stop>> {
    let starts = none_starts(draft);
    let mut ways: Vec<Vec<Stop>> =
        draft.indices().map(|index| next(draft, &starts, index)).collect();
    ways.extend(draft.indices().map(|index| match &draft.element(index).kind {
        // A loop of subprocesses is not followed. What could not be read may be a subprocess.
        Some(ElementKind::SubProcess(_)) | None if draft.element(index).multi.is_none() => {
            outgoing(draft, index)
        }
        _ => Vec::new(),
    }));
    ways
}

fn next(draft: &Draft<'_>, starts: &NoneStarts, index: ElementIndex) -> Vec<Stop> {
    let element = draft.element(index);
    if !passes_at_once(element) {
        return Vec::new();
    }
    let start = |of: Option<ElementIndex>| starts.get(&of).map(|&start| at(start));
    match &element.kind {
        Some(ElementKind::SubProcess(_)) => start(Some(index)).into_iter().collect(),
        Some(ElementKind::CallActivity(call)) => match call.process.as_constant() {
            Some(Value::Text(id)) if **id == *draft.id.as_str() => {
                start(None).into_iter().collect()
            }
            _ => Vec::new(),
        },
        Some(ElementKind::ThrowEvent(Throw::Link(target))) => {
            Some(*target).filter(|&target| passes(draft, target)).map(at).into_iter().collect()
        }
        _ if !element.outgoing.is_empty() => outgoing(draft, index),
        // A subprocess goes on where its last element ends.
        _ => element.parent.map(|parent| draft.elements.len() + at(parent)).into_iter().collect(),
    }
}

fn outgoing(draft: &Draft<'_>, index: ElementIndex) -> Vec<Stop> {
    let flows = draft.element(index).outgoing.iter();
    let targets = flows.map(|&flow| draft.flow(flow).flow.target);
    targets.filter(|&target| passes(draft, target)).map(at).collect()
}

fn passes(draft: &Draft<'_>, index: ElementIndex) -> bool {
    passes_at_once(draft.element(index))
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

fn reached(draft: &Draft<'_>, ways: &[Vec<Stop>]) -> Vec<bool> {
    let mut waiting: Vec<Stop> =
        draft.indices().filter(|&index| is_idle(draft.element(index))).map(at).collect();
    let mut reached = vec![false; ways.len()];
    while let Some(stop) = waiting.pop() {
        if !std::mem::replace(&mut reached[stop], true) {
            waiting.extend(&ways[stop]);
        }
    }
    reached
}

const UNSEEN: u32 = u32::MAX;

struct Components<'w> {
    ways: &'w [Vec<Stop>],
    /// Order of discovery.
    number: Vec<u32>,
    /// Smallest number reachable.
    low: Vec<u32>,
    next_number: u32,
    on_stack: Vec<bool>,
    stack: Vec<Stop>,
    /// Components that are loops.
    found: Vec<Vec<Stop>>,
}

impl<'w> Components<'w> {
    fn of(ways: &'w [Vec<Stop>]) -> Self {
        let count = ways.len();
        let mut components = Self {
            ways,
            number: vec![UNSEEN; count],
            low: vec![UNSEEN; count],
            next_number: 0,
            on_stack: vec![false; count],
            stack: Vec::new(),
            found: Vec::new(),
        };
        for stop in 0..count {
            if components.number[stop] == UNSEEN {
                components.explore(stop);
            }
        }
        components
    }

    fn explore(&mut self, root: Stop) {
        self.enter(root);
        // A stop and how many of its ways were followed.
        let mut path = vec![(root, 0_usize)];
        while let Some((stop, followed)) = path.last_mut() {
            let stop = *stop;
            let target = self.ways[stop].get(*followed).copied();
            *followed += 1;
            let Some(target) = target else {
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    self.low[parent] = self.low[parent].min(self.low[stop]);
                }
                self.leave(stop);
                continue;
            };
            if self.number[target] == UNSEEN {
                self.enter(target);
                path.push((target, 0));
            } else if self.on_stack[target] {
                self.low[stop] = self.low[stop].min(self.number[target]);
            }
        }
    }

    fn enter(&mut self, stop: Stop) {
        self.number[stop] = self.next_number;
        self.low[stop] = self.next_number;
        self.next_number += 1;
        self.on_stack[stop] = true;
        self.stack.push(stop);
    }

    fn leave(&mut self, stop: Stop) {
        if self.low[stop] != self.number[stop] {
            return;
        }
        let mut members = Vec::new();
        while let Some(member) = self.stack.pop() {
            self.on_stack[member] = false;
            members.push(member);
            if member == stop {
                break;
            }
        }
        if members.len() > 1 || self.ways[stop].contains(&stop) {
            self.found.push(members);
        }
    }
}

fn at(index: ElementIndex) -> Stop {
    index.0 as usize
}

#[cfg(test)]
mod tests {
    use orloj_xml::{Places, build_tree};

    use super::*;
    use crate::options::{Dialect, Options};
    use crate::read::read_file;

    /// A subprocess with that many ends and that many flows behind it.
    fn fan(number: usize) -> String {
        let ends: String = (0..number).map(|n| format!("<endEvent id=\"e{n}\"/>")).collect();
        let tasks: String = (0..number)
            .map(|n| {
                format!(
                    "<task id=\"t{n}\"/><sequenceFlow id=\"f{n}\" sourceRef=\"sub\" targetRef=\"t{n}\"/>"
                )
            })
            .collect();
        format!(
            "<definitions xmlns=\"http://www.omg.org/spec/BPMN/20100524/MODEL\"><process id=\"p\" \
             isExecutable=\"true\"><subProcess id=\"sub\">{ends}</subProcess>{tasks}</process>\
             </definitions>"
        )
    }

    #[test]
    fn there_are_never_more_ways_than_elements_and_flows() {
        let xml = fan(100);
        let (places, tree) = (Places::new(&xml), build_tree(&xml).expect("a tree"));
        let mut ctx = Context::new(Dialect::Zeebe, &places, &Options::of(Dialect::Zeebe));
        let drafts = read_file(&mut ctx, &tree);
        let draft = &drafts[0];
        let number: usize = ways(draft).iter().map(Vec::len).sum();
        assert_eq!((draft.elements.len(), draft.flows.len()), (201, 100));
        assert_eq!(number, 200, "each end leads to the end of the subprocess, that to each task");
    }
}
