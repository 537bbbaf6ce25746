//! What all parts of one evaluation share besides the budget: problems and records.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use orloj_expr::{EvalError, Warning};
use orloj_types::Timestamp;
use orloj_xml::Position;

use crate::evaluation::{Environment, Level, PROBLEMS_MAX, Problem, TABLES_MAX, TableRecord};
use crate::feel::advanced;
use crate::graph::{Graph, Node, NodeIndex};

/// Calls of knowledge models, services and boxed functions inside each other. A level takes a
/// few kilobytes of stack.
pub(crate) const CALLS_DEEP_MAX: usize = 100;

/// Boxes inside each other, those of calls included. The gate allows fewer in one file; a level
/// takes up to two kilobytes of stack.
pub(crate) const BOXES_DEEP_MAX: usize = 300;

/// Functions that models define are values, and values may be on their way anywhere; so the
/// session is shared and locked. Nothing is evaluated while the lock is held.
pub(crate) struct Session {
    pub graph: Arc<Graph>,
    pub now: Timestamp,
    pub explain: bool,
    checks_max: usize,
    state: Mutex<State>,
    /// Whose types the expression names that is being evaluated.
    file: AtomicUsize,
    /// Parts of values that were checked for expressions.
    checked: AtomicUsize,
}

#[derive(Default)]
struct State {
    /// Expressions that are being evaluated, the innermost last.
    open: Vec<Open>,
    calls_deep: usize,
    boxes_deep: usize,
    /// Ends everything.
    failure: Option<EvalError>,
    problems: Vec<Problem>,
    tables: Vec<TableRecord>,
}

#[derive(Clone)]
struct Open {
    node: NodeIndex,
    position: Position,
    text: Arc<str>,
}

impl Session {
    pub fn new(graph: Arc<Graph>, environment: &Environment<'_>) -> Arc<Self> {
        Arc::new(Self {
            graph,
            now: environment.now,
            explain: environment.explain,
            checks_max: environment.budget.steps_max,
            state: Mutex::default(),
            file: AtomicUsize::new(0),
            checked: AtomicUsize::new(0),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere leaves lists that are still whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn finish(&self) -> (Vec<Problem>, Vec<TableRecord>) {
        let mut state = self.state();
        (std::mem::take(&mut state.problems), std::mem::take(&mut state.tables))
    }

    pub fn wants_table(&self) -> bool {
        self.state().tables.len() < TABLES_MAX
    }

    pub fn record(&self, table: TableRecord) {
        self.state().tables.push(table);
    }

    pub fn failure(&self) -> Option<EvalError> {
        self.state().failure.clone()
    }

    pub fn has_failed(&self) -> bool {
        self.state().failure.is_some()
    }

    /// Stops everything that is still to be evaluated; true the first time.
    pub fn fail(&self, error: &EvalError) -> bool {
        let mut state = self.state();
        let is_first = state.failure.is_none();
        state.failure.get_or_insert_with(|| error.clone());
        is_first
    }

    pub fn file(&self) -> usize {
        self.file.load(Ordering::Relaxed)
    }

    /// False when expressions have had more checked than the budget has steps.
    pub fn checked_parts(&self, count: usize) -> bool {
        let before = self.checked.fetch_add(count, Ordering::Relaxed);
        before.saturating_add(count) <= self.checks_max
    }

    pub fn enter_call(&self) -> bool {
        let mut state = self.state();
        if state.failure.is_some() || state.calls_deep >= CALLS_DEEP_MAX {
            return false;
        }
        state.calls_deep += 1;
        true
    }

    pub fn leave_call(&self) {
        self.state().calls_deep -= 1;
    }

    pub fn enter_box(&self) -> bool {
        let mut state = self.state();
        if state.boxes_deep >= BOXES_DEEP_MAX {
            return false;
        }
        state.boxes_deep += 1;
        true
    }

    pub fn leave_box(&self) {
        self.state().boxes_deep -= 1;
    }

    pub fn open(&self, node: NodeIndex, position: Position, text: &Arc<str>) {
        self.file.store(self.graph.node(node).file, Ordering::Relaxed);
        self.state().open.push(Open { node, position, text: text.clone() });
    }

    pub fn close(&self) {
        let mut state = self.state();
        state.open.pop();
        if let Some(outer) = state.open.last() {
            self.file.store(self.graph.node(outer.node).file, Ordering::Relaxed);
        }
    }

    /// Warnings of the innermost open expression.
    pub fn report_warnings(&self, warnings: Vec<Warning>) {
        if warnings.is_empty() {
            return;
        }
        let Some(open) = self.state().open.last().cloned() else { return };
        let node = self.graph.node(open.node);
        for warning in warnings {
            let position = advanced(open.position, &open.text, warning.offset);
            self.warn(node, position, "expression-warning", warning.message);
        }
    }

    pub fn error(&self, node: &Node, position: Position, code: &'static str, message: String) {
        self.add(Level::Error, node, position, code, message);
    }

    pub fn warn(&self, node: &Node, position: Position, code: &'static str, message: String) {
        self.add(Level::Warning, node, position, code, message);
    }

    fn add(
        &self,
        level: Level,
        node: &Node,
        position: Position,
        code: &'static str,
        message: String,
    ) {
        let mut state = self.state();
        if state.problems.len() < PROBLEMS_MAX {
            let (element, file) = (node.name.clone(), node.file);
            state.problems.push(Problem { level, element, file, position, code, message });
        }
    }
}
