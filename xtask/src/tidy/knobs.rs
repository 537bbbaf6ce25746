//! A knob that can be set is read by the engine. One that nobody reads is a promise that is not
//! kept: its property belongs among those without effect, with the reason.
//!
//! The table of knobs is read as text. A knob counts as read where `PARENT.FIELD` or
//! `settings.FIELD` stands outside of the crates that only know about settings.

use super::findings::Findings;
use super::tree::{File, Tree};

const TABLE: &str = "crates/settings/src/knobs.rs";
/// Of these all keys are of the table above, by their last part.
const END: &str = "pub const ACQUISITION_KNOBS";
/// They know settings, but do nothing by them.
const READERS: &[&str] = &["crates/settings/", "crates/config-import/", "crates/testkit/"];
/// Read by a method of the settings instead: the beginning of the field, and the call.
const BY_METHOD: &[(&str, &str)] = &[
    ("history.cleanup.window.", ".week()"),
    ("history.cleanup.monday.", ".week()"),
    ("history.cleanup.tuesday.", ".week()"),
    ("history.cleanup.wednesday.", ".week()"),
    ("history.cleanup.thursday.", ".week()"),
    ("history.cleanup.friday.", ".week()"),
    ("history.cleanup.saturday.", ".week()"),
    ("history.cleanup.sunday.", ".week()"),
];

pub fn check(tree: &Tree, findings: &mut Findings) {
    let Some(table) = tree.files().iter().find(|file| file.path == TABLE) else { return };
    let is_reading = |file: &&File| {
        let is_code = !file.path.contains("/tests/") && !file.path.starts_with("xtask/");
        is_code && !READERS.iter().any(|reader| file.path.starts_with(reader))
    };
    let code: Vec<&File> = tree.with_extension(&["rs"]).filter(is_reading).collect();
    for (number, line) in table.lines().take_while(|(_, line)| !line.starts_with(END)) {
        let Some((name, field)) = knob(line) else { continue };
        if !code.iter().any(|file| reads(&file.text, field)) {
            findings.problem(format_args!("{TABLE}:{number}"), format!("nobody reads '{name}'"));
        }
    }
}

/// `    "executor.hint" = executor.hint: …` is a knob and the field it turns.
fn knob(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.strip_prefix("    \"")?.split_once("\" = ")?;
    let end = rest.find(|c: char| !is_word(c) && c != '.')?;
    Some((name, &rest[..end]))
}

fn reads(text: &str, field: &str) -> bool {
    if let Some((_, call)) = BY_METHOD.iter().find(|(start, _)| field.starts_with(start)) {
        return text.contains(call);
    }
    let mut parts = field.rsplit('.');
    let (Some(last), Some(parent)) = (parts.next(), parts.next()) else { return false };
    [parent, "settings"].into_iter().any(|before| is_there(text, before, last))
}

/// As words of their own; a chain may be broken over lines.
fn is_there(text: &str, before: &str, last: &str) -> bool {
    text.match_indices(before).any(|(at, _)| {
        let begins = !text[..at].ends_with(is_word);
        let rest = text[at + before.len()..].trim_start();
        let rest = rest.strip_prefix('.').and_then(|rest| rest.strip_prefix(last));
        begins && rest.is_some_and(|rest| !rest.starts_with(is_word))
    })
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(code: &str) -> Vec<String> {
        let table = "    \"jobs.retries\" = jobs.retries (1..=9): \"attempts\";\n\
                     \x20   \"history.cleanup.start\" = history.cleanup.window.start: \"from\";\n\
                     pub const ACQUISITION_KNOBS: &[Knob] = &[];\n\
                     \x20   \"wait_ms\" = wait_ms: \"\";\n";
        let tree = Tree::sketch(&[
            (TABLE, table),
            ("crates/settings/src/check.rs", "settings.jobs.retries"),
            ("crates/runtime/tests/jobs.rs", "settings.jobs.retries"),
            ("crates/runtime/src/node.rs", code),
        ]);
        let mut findings = Findings::default();
        check(&tree, &mut findings);
        findings.problems
    }

    #[test]
    fn what_is_read_passes() {
        let none = [] as [&str; 0];
        assert_eq!(problems("let jobs = 1; jobs\n    .retries; cleanup.week()"), none);
        assert_eq!(problems("settings.retries, cleanup.week()"), none);
    }

    #[test]
    fn what_nobody_reads_is_named() {
        let both = [
            "crates/settings/src/knobs.rs:1: nobody reads 'jobs.retries'",
            "crates/settings/src/knobs.rs:2: nobody reads 'history.cleanup.start'",
        ];
        assert_eq!(problems("jobs.retries_left; my_jobs.retries; job.retries"), both);
    }
}
