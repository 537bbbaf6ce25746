//! The names that an expression itself brings in.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_types::Value;

/// Innermost last. Those below the floor belong to the caller of a function and are hidden.
#[derive(Default)]
pub(super) struct Frames {
    frames: Vec<Frame>,
    floor: usize,
}

pub(super) struct Frame {
    pub local: Local,
    /// The height of the values.
    pub height: usize,
}

pub(super) enum Local {
    /// The entries of a context so far.
    Entries(BTreeMap<Arc<str>, Value>),
    /// What a filter looks at: its entries by name, and itself as `item`.
    Item(Value),
    /// A variable of a loop.
    One(Arc<str>, Value),
    /// Parameters, and what a function has captured.
    Several(Vec<(Arc<str>, Value)>),
    /// The results of a loop so far.
    Partial(Arc<Vec<Value>>),
    /// What a unary test is about.
    Input(Value),
}

const ITEM: &str = "item";
const PARTIAL: &str = "partial";

impl Frames {
    pub fn push(&mut self, frame: Frame) {
        self.frames.push(frame);
    }

    pub fn pop(&mut self) -> Option<Frame> {
        self.frames.pop()
    }

    pub fn len(&self) -> usize {
        self.frames.len()
    }

    pub fn truncate(&mut self, length: usize) {
        self.frames.truncate(length);
    }

    pub fn at(&mut self, index: usize) -> &mut Frame {
        &mut self.frames[index]
    }

    /// Hides everything so far; gives what `show` needs to undo it.
    pub fn hide(&mut self) -> usize {
        std::mem::replace(&mut self.floor, self.frames.len())
    }

    pub fn show(&mut self, floor: usize) {
        self.floor = floor;
    }

    pub fn get(&self, name: &str) -> Option<(Value, usize)> {
        self.frames[self.floor..].iter().rev().find_map(|frame| {
            let value = match &frame.local {
                Local::Entries(entries) => entries.get(name).cloned(),
                Local::Item(item) => match item {
                    Value::Map(entries) if entries.contains_key(name) => entries.get(name).cloned(),
                    _ => (name == ITEM).then(|| item.clone()),
                },
                Local::One(own, value) => (&**own == name).then(|| value.clone()),
                Local::Several(values) => {
                    values.iter().find(|(own, _)| &**own == name).map(|(_, value)| value.clone())
                }
                Local::Partial(results) => (name == PARTIAL).then(|| Value::List(results.clone())),
                Local::Input(_) => None,
            };
            value.map(|value| (value, frame.height))
        })
    }

    pub fn input(&self) -> Option<(&Value, usize)> {
        self.frames[self.floor..].iter().rev().find_map(|frame| match &frame.local {
            Local::Input(value) => Some((value, frame.height)),
            _ => None,
        })
    }
}
