//! The graph walked from what is asked for to what it needs, each node once.

use std::collections::HashMap;
use std::sync::Arc;

use orloj_expr::Scope;
use orloj_types::Value;

use crate::boxed::Kind;
use crate::eval::evaluator::Evaluator;
use crate::eval::frame::{Frame, Locals};
use crate::eval::function::ModelFunction;
use crate::eval::session::Session;
use crate::evaluation::{DecisionRecord, LogicKind};
use crate::feel::Feel;
use crate::graph::{Graph, Node, NodeIndex, NodeKind};
use crate::options::Mode;

/// Values of nodes under one set of inputs. A service that is called has a world of its own.
pub(crate) struct World<'w> {
    session: &'w Arc<Session>,
    caller: Option<&'w dyn Scope>,
    values: HashMap<NodeIndex, Value>,
    /// The outputs by name, of decisions that are tables.
    rows: HashMap<NodeIndex, Vec<Locals>>,
    decisions: Vec<DecisionRecord>,
}

impl<'w> World<'w> {
    pub fn new(session: &'w Arc<Session>, caller: Option<&'w dyn Scope>) -> Self {
        Self {
            session,
            caller,
            values: HashMap::new(),
            rows: HashMap::new(),
            decisions: Vec::new(),
        }
    }

    pub fn give(&mut self, node: NodeIndex, value: Value) {
        self.values.insert(node, value);
    }

    /// What the caller gives for a node, as one of its type.
    pub fn given_for(&self, index: NodeIndex, feel: &mut Feel<'_>) -> Value {
        let node = self.graph().node(index);
        let value = self.given(node).unwrap_or_default();
        let evaluator = Evaluator::new(self.session, index, feel);
        evaluator.checked(value, Some(&node.ty), node.position, "the value")
    }

    pub fn callers(&self, name: &str) -> Option<Value> {
        self.caller.and_then(|caller| caller.get(name))
    }

    pub fn take_decisions(&mut self) -> Vec<DecisionRecord> {
        std::mem::take(&mut self.decisions)
    }

    pub fn take_rows(&mut self, node: NodeIndex) -> Option<Vec<Locals>> {
        self.rows.remove(&node)
    }

    fn graph(&self) -> &'w Graph {
        &self.session.graph
    }

    /// Not recursive: a chain of requirements may be as long as the file. There are no cycles in
    /// a graph that was accepted.
    pub fn value(&mut self, target: NodeIndex, feel: &mut Feel<'_>) -> Value {
        let mut path = vec![(target, 0)];
        while let Some((at, next)) = path.last_mut() {
            let (node, required) = (*at, self.graph().node(*at).requires.get(*next));
            if self.values.contains_key(&node) {
                path.pop();
                continue;
            }
            *next += 1;
            match required {
                Some(required) if !self.values.contains_key(&required.node) => {
                    path.push((required.node, 0));
                }
                Some(_) => {}
                None => {
                    let value = self.evaluated(node, feel);
                    self.values.insert(node, value);
                    path.pop();
                }
            }
        }
        self.values.get(&target).cloned().unwrap_or_default()
    }

    fn evaluated(&mut self, index: NodeIndex, feel: &mut Feel<'_>) -> Value {
        if self.session.has_failed() {
            return Value::Null;
        }
        let node = self.graph().node(index);
        let evaluator = Evaluator::new(self.session, index, feel);
        let (value, rows) = match &node.kind {
            NodeKind::Input => {
                let value = self.given(node).unwrap_or_default();
                let is_checked = self.graph().mode == Mode::Standard;
                return if is_checked { evaluator.checked_result(value) } else { value };
            }
            NodeKind::Knowledge { .. } | NodeKind::Service(_) => {
                return ModelFunction::of_node(self.session, index);
            }
            NodeKind::Decision { logic: None } => {
                let given = self.given(node);
                if given.is_none() {
                    let message = "the decision has no logic, and no value was given".into();
                    evaluator.warn(node.position, "no-logic", message);
                }
                (given.unwrap_or_default(), None)
            }
            NodeKind::Decision { logic: Some(logic) } => {
                let locals = self.locals(node);
                let sees_all = self.graph().mode.sees_callers_variables();
                let caller = if sees_all { self.caller } else { None };
                let frame = Frame::root(&locals, caller);
                match &logic.kind {
                    Kind::Table(table) => {
                        let outcome = evaluator.outcome(table, &frame);
                        let ty = logic.ty.as_ref();
                        let value =
                            evaluator.checked(outcome.value, ty, logic.position, "the result");
                        (value, Some(outcome.rows))
                    }
                    _ => (evaluator.boxed(logic, &frame), None),
                }
            }
        };
        let value = match (&rows, self.graph().mode) {
            // Camunda 7 looks at the types of columns instead.
            (Some(_), mode) if mode.offers_outputs() => value,
            _ => evaluator.checked_result(value),
        };
        if let Some(rows) = rows {
            self.rows.insert(index, rows);
        }
        if let NodeKind::Decision { logic } = &node.kind {
            self.decisions.push(DecisionRecord {
                id: node.id.clone(),
                name: node.name.clone(),
                logic: logic.as_ref().map_or(LogicKind::None, |logic| logic.kind.of_logic()),
                value: value.clone(),
            });
        }
        value
    }

    /// What the caller gives for a node: under the name of the import it belongs to, or its own.
    fn given(&self, node: &Node) -> Option<Value> {
        let caller = self.caller?;
        let imports = self.graph().files.first().map(|main| &main.imports[..]).unwrap_or_default();
        let within = imports.iter().filter(|(_, file)| *file == node.file && node.file != 0);
        let qualified = within.filter_map(|(import, _)| match caller.get(import) {
            Some(Value::Map(entries)) => entries.get(&node.variable).cloned(),
            _ => None,
        });
        let qualified = qualified.into_iter().next();
        qualified.or_else(|| caller.get(&node.variable)).or_else(|| caller.get(&node.name))
    }

    /// The values that a node requires, by the names it knows them by.
    pub fn locals(&self, node: &Node) -> Locals {
        let mut locals = Locals::new();
        let mut imported: HashMap<Arc<str>, Locals> = HashMap::new();
        for required in &node.requires {
            let holder = self.graph().node(required.node);
            let value = self.values.get(&required.node).cloned().unwrap_or_default();
            // Where all variables are visible, one that is missing is not one that is null.
            let sees_all = self.graph().mode.sees_callers_variables();
            if sees_all && required.import.is_none() && matches!(holder.kind, NodeKind::Input) {
                continue;
            }
            match &required.import {
                Some(import) => {
                    let entries = imported.entry(import.clone()).or_default();
                    entries.insert(holder.variable.clone(), value);
                }
                None => match self.rows.get(&required.node) {
                    Some(rows) if self.graph().mode.offers_outputs() => {
                        locals.extend(outputs_by_name(rows));
                    }
                    _ => {
                        locals.insert(holder.variable.clone(), value);
                    }
                },
            }
        }
        for (import, entries) in imported {
            locals.insert(import, Value::Map(Arc::new(entries)));
        }
        locals
    }
}

/// Camunda 7 offers the outputs of a required table under their names: the values themselves when
/// one rule counts, else lists of them.
fn outputs_by_name(rows: &[Locals]) -> Locals {
    match rows {
        [] => Locals::new(),
        [only] => only.clone(),
        several => {
            let mut columns: HashMap<Arc<str>, Vec<Value>> = HashMap::new();
            for (name, value) in several.iter().flatten() {
                columns.entry(name.clone()).or_default().push(value.clone());
            }
            columns.into_iter().map(|(name, values)| (name, Value::list(values))).collect()
        }
    }
}
