//! On which line of a configuration file a key stands.

use std::path::Path;

use toml_edit::{ImDocument, Item, TableLike};

/// Of the key, or else of the innermost table around it that is written; `None`: nothing of it is.
pub fn line_of(file: &Path, key: &str) -> Option<usize> {
    // It was read a moment ago; if it is gone now, nobody needs the line.
    let text = std::fs::read_to_string(file).ok()?;
    let document = ImDocument::parse(text.as_str()).ok()?;
    let offset = offset_of(document.as_table(), key)?;
    let before = text.get(..offset)?;
    Some(before.matches('\n').count() + 1)
}

/// Keys may have dots of their own, so that they are compared rather than split.
fn offset_of(table: &dyn TableLike, key: &str) -> Option<usize> {
    for (name, item) in table.iter() {
        let Some(rest) = key.strip_prefix(name) else { continue };
        let at = || {
            let (key, _) = table.get_key_value(name)?;
            Some(item.span().filter(|_| item.is_table()).or(key.span())?.start)
        };
        if rest.is_empty() {
            return at();
        }
        if let Some(rest) = rest.strip_prefix('.') {
            let inside = item.as_table_like().and_then(|inner| offset_of(inner, rest));
            return inside.or_else(at);
        }
        if let Some((number, rest)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            let number: usize = number.parse().ok()?;
            let rest = rest.strip_prefix('.').unwrap_or(rest);
            return in_list(item, number.checked_sub(1)?, rest).or_else(at);
        }
    }
    None
}

fn in_list(item: &Item, at: usize, rest: &str) -> Option<usize> {
    match item {
        Item::ArrayOfTables(tables) => {
            let table = tables.get(at)?;
            offset_of(table, rest).or(table.span().map(|span| span.start))
        }
        Item::Value(value) => {
            let value = value.as_array()?.get(at)?;
            let inside = value.as_inline_table().and_then(|table| offset_of(table, rest));
            inside.or(value.span().map(|span| span.start))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_every_notation_are_found() {
        let text = "log = 'warn'\n\n[executor]\nhint = true\n[jobs]\nretries = 1\n\
                    [camunda.bpm]\njob-execution.max-wait = 3\n\"a.b\" = 1\n\
                    [[limits]]\ntopic = 'a'\n[[limits]]\ntopic = 'b'\nburst = 0\n";
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("orloj.toml");
        std::fs::write(&file, text).unwrap();
        let line = |key| line_of(&file, key);
        assert_eq!(line("log"), Some(1));
        assert_eq!(line("executor.hint"), Some(4));
        assert_eq!(line("executor.absent"), Some(3), "its table");
        assert_eq!(line("jobs.retries"), Some(6));
        assert_eq!(line("camunda.bpm.job-execution.max-wait"), Some(8));
        assert_eq!(line("camunda.bpm.a.b"), Some(9));
        assert_eq!(line("limits[2].burst"), Some(14));
        assert_eq!(line("limits[2]"), Some(12));
        assert_eq!(line("nothing"), None);
        assert_eq!(line_of(Path::new("/nowhere"), "log"), None);
    }
}
