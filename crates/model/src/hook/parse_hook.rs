use std::fmt;
use std::sync::Arc;

use orloj_expr::Expression;

use crate::graph::{ElementKind, JobSettings, Listener, Mapping, MultiInstance, SavePoint, Script};
use crate::hook::Source;

/// Sees and changes each process, element and flow of a model while it is read.
///
/// All hooks are called before the default handling, in their order, then the default handling or
/// the first hook that wants to replace it, then all hooks again. What they change is checked like
/// what the file says. A hook must give the same answers for the same file: models are read again
/// whenever they are needed.
pub trait ParseHook: fmt::Debug + Send + Sync {
    /// Before the default handling, which sees the attributes as they are left here.
    fn before(&self, _source: &mut Source) {}

    /// Instead of the default handling of what the element is; `None` leaves it to others. What
    /// every element can carry (save points, listeners, mappings) is still read.
    ///
    /// Kinds that refer to other elements (boundary events, subprocesses, links, compensation)
    /// are refused.
    fn instead(&self, _source: &Source) -> Option<ElementKind> {
        None
    }

    /// After the default handling of an element.
    fn after(&self, _source: &mut Source, _element: ElementParts<'_>) {}

    fn after_flow(&self, _source: &mut Source, _flow: FlowParts<'_>) {}

    /// When everything inside of the process is read.
    fn after_process(&self, _source: &mut Source, _process: ProcessParts<'_>) {}
}

/// What a hook can change of an element.
#[derive(Debug)]
pub struct ElementParts<'e> {
    /// Kinds that refer to other elements can be changed inside, but not replaced.
    pub kind: &'e mut ElementKind,
    pub name: &'e mut Option<Arc<str>>,
    pub async_before: &'e mut Option<SavePoint>,
    pub async_after: &'e mut Option<SavePoint>,
    pub multi: &'e mut Option<MultiInstance>,
    pub listeners: &'e mut Vec<Listener>,
    pub skip: &'e mut Option<Expression>,
    pub jobs: &'e mut JobSettings,
    pub inputs: &'e mut Vec<Mapping>,
    pub outputs: &'e mut Vec<Mapping>,
}

#[derive(Debug)]
pub struct FlowParts<'e> {
    pub condition: &'e mut Option<Script>,
    pub listeners: &'e mut Vec<Listener>,
    pub skip: &'e mut Option<Expression>,
}

#[derive(Debug)]
pub struct ProcessParts<'e> {
    pub name: &'e mut Option<Arc<str>>,
    pub version_tag: &'e mut Option<Arc<str>>,
    pub listeners: &'e mut Vec<Listener>,
}
