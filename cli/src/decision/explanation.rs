//! How a decision came about, for people and for programs.

use comfy_table::{Table, presets};
use orloj_dmn::{
    Aggregation, EntryRecord, Evaluation, HitPolicy, InputRecord, Level, Problem, RuleRecord,
    TableRecord,
};
use orloj_types::Value;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::table::plain;
use crate::variables::literal;

/// A line about the table, then a row for each rule: its entries, each with whether the input
/// passes it, and its outputs.
pub fn table(record: &TableRecord) -> String {
    let title = format!("{} (hit policy {})", plain(&record.element), policy(record.hit_policy));
    if record.rules.is_empty() {
        let inputs: Vec<String> = record
            .inputs
            .iter()
            .map(|input| plain(&format!("{} = {}", input.label, literal(&input.value))))
            .collect();
        return format!("{title}\nno rule matches {}; --explain says why", inputs.join(", "));
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let mut header = vec!["RULE".to_owned(), "MATCHES".to_owned()];
    header.extend(
        record
            .inputs
            .iter()
            .map(|input| plain(&format!("{} = {}", input.label, literal(&input.value)))),
    );
    header.extend(record.outputs.iter().map(|output| plain(&format!("-> {}", output.name))));
    table.set_header(header);
    for rule in &record.rules {
        table.add_row(cells(record, rule));
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    format!("{title}\n{}", table.trim_fmt())
}

fn cells(record: &TableRecord, rule: &RuleRecord) -> Vec<String> {
    let matches = if rule.matched { "yes" } else { "no" };
    let mut cells = vec![rule.number.to_string(), matches.to_owned()];
    let entry = |at: usize| rule.entries.get(at).map_or_else(String::new, marked);
    cells.extend((0..record.inputs.len()).map(entry));
    let output = |at: usize| rule.outputs.get(at).map_or_else(String::new, literal);
    cells.extend((0..record.outputs.len()).map(output));
    cells.iter().map(|cell| plain(cell)).collect()
}

fn marked(entry: &EntryRecord) -> String {
    let text = if entry.text.trim().is_empty() { "-" } else { &*entry.text };
    if entry.passes { format!("✓ {text}") } else { format!("✗ {text}") }
}

/// The same as JSON. Numbers keep all their digits, which a tree of values would not give them.
pub fn json(evaluation: &Evaluation) -> serde_json::Result<String> {
    let view = View {
        value: raw(&evaluation.value)?,
        tables: evaluation.tables.iter().map(TableView::new).collect::<serde_json::Result<_>>()?,
        problems: evaluation.problems.iter().map(ProblemView::new).collect(),
    };
    serde_json::to_string(&view)
}

#[derive(Serialize)]
struct View<'a> {
    value: Box<RawValue>,
    tables: Vec<TableView<'a>>,
    problems: Vec<ProblemView<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TableView<'a> {
    element: &'a str,
    element_id: &'a str,
    hit_policy: &'static str,
    inputs: Vec<InputView<'a>>,
    outputs: Vec<&'a str>,
    rules: Vec<RuleView<'a>>,
}

#[derive(Serialize)]
struct InputView<'a> {
    label: &'a str,
    value: Box<RawValue>,
}

#[derive(Serialize)]
struct RuleView<'a> {
    number: usize,
    id: Option<&'a str>,
    matches: bool,
    entries: Vec<EntryView<'a>>,
    outputs: Vec<Box<RawValue>>,
    annotations: Vec<&'a str>,
}

#[derive(Serialize)]
struct EntryView<'a> {
    text: &'a str,
    passes: bool,
}

#[derive(Serialize)]
struct ProblemView<'a> {
    level: &'static str,
    element: &'a str,
    line: u32,
    column: u32,
    code: &'a str,
    message: &'a str,
}

impl<'a> TableView<'a> {
    fn new(record: &'a TableRecord) -> serde_json::Result<Self> {
        let input = |input: &'a InputRecord| {
            Ok(InputView { label: &input.label, value: raw(&input.value)? })
        };
        Ok(Self {
            element: &record.element,
            element_id: &record.element_id,
            hit_policy: policy(record.hit_policy),
            inputs: record.inputs.iter().map(input).collect::<serde_json::Result<_>>()?,
            outputs: record.outputs.iter().map(|output| &*output.name).collect(),
            rules: record.rules.iter().map(RuleView::new).collect::<serde_json::Result<_>>()?,
        })
    }
}

impl<'a> RuleView<'a> {
    fn new(rule: &'a RuleRecord) -> serde_json::Result<Self> {
        let entry = |entry: &'a EntryRecord| EntryView { text: &entry.text, passes: entry.passes };
        Ok(Self {
            number: rule.number,
            id: rule.id.as_deref(),
            matches: rule.matched,
            entries: rule.entries.iter().map(entry).collect(),
            outputs: rule.outputs.iter().map(raw).collect::<serde_json::Result<_>>()?,
            annotations: rule.annotations.iter().map(|text| &**text).collect(),
        })
    }
}

impl<'a> ProblemView<'a> {
    fn new(problem: &'a Problem) -> Self {
        let level = match problem.level {
            Level::Warning => "warning",
            Level::Error => "error",
        };
        Self {
            level,
            element: &problem.element,
            line: problem.position.line,
            column: problem.position.column,
            code: problem.code,
            message: &problem.message,
        }
    }
}

fn raw(value: &Value) -> serde_json::Result<Box<RawValue>> {
    RawValue::from_string(value.to_json())
}

fn policy(policy: HitPolicy) -> &'static str {
    match policy {
        HitPolicy::Unique => "unique",
        HitPolicy::Any => "any",
        HitPolicy::Priority => "priority",
        HitPolicy::First => "first",
        HitPolicy::RuleOrder => "rule order",
        HitPolicy::OutputOrder => "output order",
        HitPolicy::Collect(None) => "collect",
        HitPolicy::Collect(Some(Aggregation::Sum)) => "collect sum",
        HitPolicy::Collect(Some(Aggregation::Min)) => "collect min",
        HitPolicy::Collect(Some(Aggregation::Max)) => "collect max",
        HitPolicy::Collect(Some(Aggregation::Count)) => "collect count",
    }
}
