//! What an evaluation is given and what it gives.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use orloj_expr::Budget;
use orloj_types::{Timestamp, Value, Zone};
use orloj_xml::Position;

use crate::boxed::HitPolicy;

/// Problems kept of one evaluation; a table over a long list makes one per item.
pub const PROBLEMS_MAX: usize = 100;
/// Tables recorded of one evaluation; a table inside a knowledge model is evaluated per call.
pub const TABLES_MAX: usize = 100;
/// Rules recorded of one table.
pub const RULES_RECORDED_MAX: usize = 1_000;

/// Everything an evaluation may know of the world, variables apart.
#[derive(Clone, Copy, Debug)]
pub struct Environment<'a> {
    pub now: Timestamp,
    /// Of `now()` and `today()`; UTC unless said otherwise.
    pub zone: &'a Zone,
    /// All that is random follows from it.
    pub seed: u64,
    /// For the whole graph, whatever it evaluates.
    pub budget: Budget,
    /// Also record the rules that did not match, cell by cell.
    pub explain: bool,
}

impl<'a> Environment<'a> {
    pub fn new(now: Timestamp) -> Self {
        Self { now, zone: &Zone::UTC, seed: 0, budget: Budget::default(), explain: false }
    }

    pub fn with_zone(mut self, zone: &'a Zone) -> Self {
        self.zone = zone;
        self
    }

    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    pub fn with_budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    pub fn explaining(mut self) -> Self {
        self.explain = true;
        self
    }
}

/// A value, and how it came about.
#[derive(Clone, Debug, Default)]
pub struct Evaluation {
    pub value: Value,
    /// The outputs of the rules that count, by name, when the decision is a table.
    pub(crate) rows: Option<Vec<BTreeMap<Arc<str>, Value>>>,
    /// The variable of the decision.
    pub(crate) name: Arc<str>,
    /// In the order in which they were met.
    pub problems: Vec<Problem>,
    /// The decisions that were needed, each once, in the order in which they were evaluated.
    /// Those inside of services that expressions call are not among them.
    pub decisions: Vec<DecisionRecord>,
    /// Decision tables in the order in which they were evaluated.
    pub tables: Vec<TableRecord>,
}

impl Evaluation {
    /// The first error. Camunda's engines fail an evaluation that has one; for the standard the
    /// value is null there, and null may be the answer.
    pub fn failure(&self) -> Option<&Problem> {
        self.problems.iter().find(|problem| problem.level == Level::Error)
    }

    /// How much was evaluated, as Camunda measures it: the cells of a table, one for any other
    /// decision.
    pub fn elements(&self) -> u64 {
        let cells = |table: &TableRecord| {
            (table.inputs.len() + table.outputs.len()) as u64 * table.rules_total as u64
        };
        let others = self.decisions.iter().filter(|decision| decision.logic != LogicKind::Table);
        self.tables.iter().map(cells).sum::<u64>() + others.count() as u64
    }
}

/// Something odd on the way to the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub level: Level,
    /// The decision, knowledge model or service, by its name.
    pub element: Arc<str>,
    /// Which of the files that were given together.
    pub file: usize,
    pub position: Position,
    /// Stable, in kebab case.
    pub code: &'static str,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Warning,
    Error,
}

/// `decision "Dish", 12:7: error: the message [the-code]`
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            Level::Warning => "warning",
            Level::Error => "error",
        };
        let Position { line, column } = self.position;
        let Self { element, message, code, .. } = self;
        write!(f, "\"{element}\", {line}:{column}: {level}: {message} [{code}]")
    }
}

/// One decision and its value.
#[derive(Clone, Debug)]
pub struct DecisionRecord {
    pub id: Arc<str>,
    pub name: Arc<str>,
    pub logic: LogicKind,
    pub value: Value,
}

/// What a decision is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogicKind {
    None,
    Literal,
    Table,
    Context,
    Relation,
    List,
    Function,
    Invocation,
    Conditional,
    Filter,
    Iterator,
}

/// One evaluation of a decision table.
#[derive(Clone, Debug)]
pub struct TableRecord {
    /// The decision or knowledge model, by its name and its id.
    pub element: Arc<str>,
    pub element_id: Arc<str>,
    /// Of the table itself.
    pub id: Option<Arc<str>>,
    pub hit_policy: HitPolicy,
    pub inputs: Vec<InputRecord>,
    pub outputs: Vec<OutputRecord>,
    /// Those that matched; all of them when asked to explain.
    pub rules: Vec<RuleRecord>,
    /// How many the table has.
    pub rules_total: usize,
}

#[derive(Clone, Debug)]
pub struct InputRecord {
    pub id: Option<Arc<str>>,
    pub label: Arc<str>,
    pub value: Value,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputRecord {
    pub id: Option<Arc<str>>,
    /// Its name or label, or its number in the table.
    pub name: Arc<str>,
}

#[derive(Clone, Debug)]
pub struct RuleRecord {
    /// From 1, as tables number their rules.
    pub number: usize,
    pub id: Option<Arc<str>>,
    pub annotations: Vec<Arc<str>>,
    pub matched: bool,
    /// For each input, the text of the entry and whether the value passes it. Entries after the
    /// first that fails are looked at only when asked to explain.
    pub entries: Vec<EntryRecord>,
    /// The values of the outputs of a rule that matched and was needed.
    pub outputs: Vec<Value>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryRecord {
    pub text: Arc<str>,
    pub passes: bool,
}
