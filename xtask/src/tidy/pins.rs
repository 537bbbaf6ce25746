//! What the tables of `docs/compat` say is pinned by a story or a test is pinned by one that exists.

use super::findings::Findings;
use super::tree::Tree;

const FOLDER: &str = "docs/compat/";
const STORIES: &str = "crates/runtime/tests/stories/";
const COLUMN: &str = "pinned by";

pub fn check(tree: &Tree, findings: &mut Findings) {
    for file in tree.with_extension(&["md"]).filter(|file| file.path.starts_with(FOLDER)) {
        let mut is_table = false;
        for (number, line) in file.lines() {
            let Some(cells) = cells(line) else {
                is_table = false;
                continue;
            };
            let last = cells.last().copied().unwrap_or_default();
            if last == COLUMN {
                is_table = true;
                continue;
            }
            if !is_table || last.starts_with("---") {
                continue;
            }
            for pin in last.split("<br>").map(str::trim) {
                if let Some(problem) = problem_of(tree, pin) {
                    findings.problem(format_args!("{}:{number}", file.path), problem);
                }
            }
        }
    }
}

fn cells(line: &str) -> Option<Vec<&str>> {
    let inside = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    Some(inside.split('|').map(str::trim).collect())
}

fn problem_of(tree: &Tree, pin: &str) -> Option<String> {
    if let Some(reason) = pin.strip_prefix("not pinned:") {
        return reason.trim().is_empty().then(|| "a row that is not pinned says why".to_owned());
    }
    let Some((path, name)) = pin.split_once(": ") else {
        return Some(format!("'{pin}' names no story and no test"));
    };
    let (path, wanted) = match path.ends_with(".story") {
        true => (format!("{STORIES}{path}"), format!("story \"{name}\"\n")),
        false => (path.to_owned(), format!("fn {name}(")),
    };
    let Some(file) = tree.files().iter().find(|file| file.path == path) else {
        return Some(format!("there is no file {path}"));
    };
    let is_there = file.text.contains(&wanted);
    (!is_there).then(|| format!("{path} has no '{name}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(rows: &str) -> Vec<String> {
        let table = format!("| it says | pinned by |\n| --- | --- |\n{rows}\n");
        let tree = Tree::sketch(&[
            ("docs/compat/a.md", &table),
            ("crates/runtime/tests/stories/jobs.story", "story \"one\"\n  look\n"),
            ("crates/x/tests/y.rs", "fn works() {}\n"),
        ]);
        let mut findings = Findings::default();
        check(&tree, &mut findings);
        findings.problems
    }

    #[test]
    fn what_exists_passes() {
        let rows = "| a | jobs.story: one<br>crates/x/tests/y.rs: works |\n\
                    | b | not pinned: nobody can see it |";
        assert_eq!(problems(rows), [] as [&str; 0]);
    }

    #[test]
    fn what_does_not_exist_is_named() {
        let rows = "| a | jobs.story: two |\n| b | crates/x/tests/z.rs: works |\n\
                    | c | crates/x/tests/y.rs: fails |\n| d | |\n| e | not pinned: |";
        assert_eq!(
            problems(rows),
            [
                "docs/compat/a.md:3: crates/runtime/tests/stories/jobs.story has no 'two'",
                "docs/compat/a.md:4: there is no file crates/x/tests/z.rs",
                "docs/compat/a.md:5: crates/x/tests/y.rs has no 'fails'",
                "docs/compat/a.md:6: '' names no story and no test",
                "docs/compat/a.md:7: a row that is not pinned says why",
            ]
        );
    }
}
