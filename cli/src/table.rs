//! Rows as text.

use comfy_table::{Table, presets};
use serde::Deserialize;

use crate::call::View;

/// A page of a listing.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Listing<T> {
    pub items: Vec<T>,
    #[serde(default)]
    pub next: Option<String>,
    /// Not all instances were looked at.
    #[serde(default)]
    pub partial: bool,
    /// The level of history keeps no such rows.
    #[serde(default)]
    pub not_kept: bool,
}

/// What is told when not all of them were.
const PARTIAL: &str =
    "not all instances were looked at: name one, or narrow the process or the times";

/// What is told where there is nothing to be found.
const NOT_KEPT: &str = "no job log is kept at this level of history: history.level = \"full\"";

/// A row of a table: what stands in its columns.
pub trait Row {
    const COLUMNS: &'static [&'static str];
    fn cells(&self) -> Vec<String>;
}

impl<T> Listing<T> {
    /// Why there may be more than was found.
    pub fn caution(&self) -> Option<&'static str> {
        self.not_kept.then_some(NOT_KEPT).or(self.partial.then_some(PARTIAL))
    }
}

/// A page as a table, and how to see the rest.
pub fn listing<T: Row + for<'a> Deserialize<'a>>(json: &str) -> serde_json::Result<View> {
    let page: Listing<T> = serde_json::from_str(json)?;
    let caution = page.caution().map(str::to_owned);
    if page.items.is_empty() {
        let note = caution.map_or("none found".to_owned(), |told| format!("none found; {told}"));
        return Ok(View { data: String::new(), note: Some(note) });
    }
    let note = page.next.map(|key| format!("older ones: --before {key}")).or(caution);
    Ok(View { data: rows(&page.items), note })
}

pub fn rows<T: Row>(rows: &[T]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(T::COLUMNS);
    for row in rows {
        table.add_row(row.cells().iter().map(|cell| plain(cell)));
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table.trim_fmt()
}

/// One thing, a field a line.
pub fn fields(json: &str) -> serde_json::Result<View> {
    let fields: serde_json::Map<String, serde_json::Value> = serde_json::from_str(json)?;
    let width = fields.keys().map(|name| heading(name).chars().count()).max().unwrap_or(0);
    let line = |(name, value): (&String, &serde_json::Value)| {
        let value = match value {
            serde_json::Value::Null => "-".to_owned(),
            serde_json::Value::String(text) => plain(text),
            serde_json::Value::Array(items) if items.is_empty() => "-".to_owned(),
            serde_json::Value::Array(items) => {
                let items = items.iter().map(|item| match item {
                    serde_json::Value::String(text) => plain(text),
                    other => other.to_string(),
                });
                items.collect::<Vec<_>>().join(", ")
            }
            other => other.to_string(),
        };
        format!("{:width$}  {value}", heading(name))
    };
    // What it goes by comes first.
    let (first, rest): (Vec<_>, Vec<_>) = fields.iter().partition(|(name, _)| *name == "key");
    let data = first.into_iter().chain(rest).map(line).collect::<Vec<_>>().join("\n");
    Ok(View { data, note: None })
}

/// `retriesLeft` as `RETRIES LEFT`.
fn heading(name: &str) -> String {
    let mut heading = String::new();
    for c in name.chars() {
        if c.is_uppercase() {
            heading.push(' ');
        }
        heading.extend(c.to_uppercase());
    }
    heading
}

/// The number of things counted.
pub fn count(json: &str) -> serde_json::Result<View> {
    #[derive(Deserialize)]
    struct Count {
        count: u64,
    }
    let count: Count = serde_json::from_str(json)?;
    Ok(View { data: count.count.to_string(), note: None })
}

/// Text of processes on one line, and unable to steer a terminal.
pub fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

pub fn or_dash(text: Option<&str>) -> String {
    text.unwrap_or("-").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Pair(String, String);

    impl Row for Pair {
        const COLUMNS: &'static [&'static str] = &["KEY", "NAME"];
        fn cells(&self) -> Vec<String> {
            vec![self.0.clone(), self.1.clone()]
        }
    }

    #[test]
    fn rows_are_aligned_and_cannot_steer_the_terminal() {
        let json = r#"{"items":[["7","a\u001b[31m\nb"],["1234","c"]],"next":"1234"}"#;
        let view = listing::<Pair>(json).unwrap();
        assert_eq!(view.data, "KEY   NAME\n7     a [31m b\n1234  c");
        assert_eq!(view.note.as_deref(), Some("older ones: --before 1234"));
    }

    #[test]
    fn nothing_is_said_aloud_but_prints_nothing() {
        let view = listing::<Pair>(r#"{"items":[],"next":null}"#).unwrap();
        assert_eq!(view, View { data: String::new(), note: Some("none found".to_owned()) });
    }
}
