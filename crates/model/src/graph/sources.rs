//! From which elements a token can come to a join that waits for all of them.

use std::sync::OnceLock;

use super::element::{Element, ElementIndex};
use super::process::Process;
use super::semantics::Joins;
use super::{ElementKind, Throw};

/// The elements that lead to each inclusive gateway. A gateway is asked about at every token, so
/// its answer is found once, and only when the first token comes: of a large file most are never
/// reached.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// By gateway, ascending.
    found: Vec<(ElementIndex, OnceLock<SourceSet>)>,
}

impl Sources {
    pub fn of(elements: &[Element]) -> Self {
        let indexed = (0..).map(ElementIndex).zip(elements);
        let gateways = indexed
            .filter(|(_, element)| matches!(element.kind, ElementKind::InclusiveGateway))
            .map(|(index, _)| (index, OnceLock::new()));
        Self { found: gateways.collect() }
    }

    pub(super) fn get<'s>(&'s self, process: &Process, gateway: ElementIndex) -> &'s SourceSet {
        let place = self.found.binary_search_by_key(&gateway, |(index, _)| *index);
        let place = place.expect("only inclusive gateways are asked about");
        self.found[place].1.get_or_init(|| search(process, gateway))
    }
}

/// Elements of a process, one bit each.
#[derive(Clone, Debug)]
pub struct SourceSet {
    bits: Box<[u64]>,
}

impl SourceSet {
    fn empty(elements: usize) -> Self {
        Self { bits: vec![0; elements.div_ceil(64)].into() }
    }

    pub fn contains(&self, element: ElementIndex) -> bool {
        self.bits[element.0 as usize / 64] & (1 << (element.0 % 64)) != 0
    }

    /// Whether it was not in it before.
    fn insert(&mut self, element: ElementIndex) -> bool {
        let is_new = !self.contains(element);
        self.bits[element.0 as usize / 64] |= 1 << (element.0 % 64);
        is_new
    }
}

/// Backwards along everything a token can come by; the gateway itself is among its sources.
fn search(process: &Process, gateway: ElementIndex) -> SourceSet {
    let mut links = Vec::new();
    for &index in &process.scope(process.element(gateway).parent).members {
        match &process.element(index).kind {
            ElementKind::ThrowEvent(Throw::Link(target)) => links.push((*target, index)),
            // DIFFERENCE: only where tokens are counted by flow do boundary events count as ways.
            ElementKind::BoundaryEvent(boundary) if process.semantics.joins == Joins::PerFlow => {
                links.push((index, boundary.attached_to));
            }
            _ => {}
        }
    }
    links.sort_unstable();
    let mut sources = SourceSet::empty(process.elements.len());
    sources.insert(gateway);
    let mut todo = vec![gateway];
    while let Some(index) = todo.pop() {
        let by_flow = process.element(index).incoming.iter().map(|&flow| process.flow(flow).source);
        let first = links.partition_point(|(target, _)| *target < index);
        let by_link = links[first..].iter().take_while(|(target, _)| *target == index);
        for source in by_flow.chain(by_link.map(|(_, source)| *source)) {
            if sources.insert(source) {
                todo.push(source);
            }
        }
    }
    sources
}
