//! Figures: one object a line for machines, one table for people.

use comfy_table::Table;
use serde_json::{Map, Value, json};

/// One measured number. `floor` is what the bare storage does with the same kind of work, taken
/// in the same run.
#[derive(Clone, Debug)]
pub struct Figure {
    pub figure: &'static str,
    /// Which of the sub-command's numbers this is; empty for its main one.
    pub part: &'static str,
    pub store: &'static str,
    pub value: f64,
    pub unit: &'static str,
    pub floor: Option<f64>,
    pub settings: String,
}

impl Figure {
    pub fn ratio(&self) -> Option<f64> {
        self.floor.filter(|floor| *floor > 0.0).map(|floor| self.value / floor)
    }

    fn json(&self) -> Value {
        let mut object = Map::new();
        object.insert("figure".into(), json!(self.figure));
        if !self.part.is_empty() {
            object.insert("part".into(), json!(self.part));
        }
        object.insert("store".into(), json!(self.store));
        object.insert("value".into(), json!(rounded(self.value)));
        object.insert("unit".into(), json!(self.unit));
        object.insert("floor".into(), json!(self.floor.map(rounded)));
        object.insert("ratio".into(), json!(self.ratio().map(|r| (r * 1000.0).round() / 1000.0)));
        object.insert("settings".into(), json!(self.settings));
        Value::Object(object)
    }
}

fn rounded(value: f64) -> f64 {
    if value.abs() >= 1_000.0 { value.round() } else { (value * 1_000.0).round() / 1_000.0 }
}

pub fn print(figures: &[Figure], as_json: bool) {
    if as_json {
        for figure in figures {
            println!("{}", figure.json());
        }
        return;
    }
    let mut table = Table::new();
    table.set_header(["figure", "store", "value", "unit", "floor", "ratio", "settings"]);
    for figure in figures {
        let name = match figure.part {
            "" => figure.figure.to_owned(),
            part => format!("{}: {part}", figure.figure),
        };
        table.add_row([
            name,
            figure.store.to_owned(),
            rounded(figure.value).to_string(),
            figure.unit.to_owned(),
            figure.floor.map_or_else(String::new, |floor| rounded(floor).to_string()),
            figure.ratio().map_or_else(String::new, |ratio| format!("{ratio:.2}")),
            figure.settings.clone(),
        ]);
    }
    println!("{table}");
}

/// Of an odd number of values the middle one.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The value that `share` of the others do not exceed.
pub fn percentile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = ((values.len() as f64 - 1.0) * share).round().max(0.0) as usize;
    values.get(at).copied().unwrap_or(f64::NAN)
}
