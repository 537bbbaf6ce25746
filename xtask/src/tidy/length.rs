//! A very long file says in its module doc why it is long.

use super::findings::Findings;
use super::tree::Tree;

/// Most files have 80 to 300 lines; three times the upper end is no accident any more.
const LINES_MAX: usize = 900;
/// What the module doc has to contain, followed by the reason.
const EXCUSE: &str = "long because";

pub fn check(tree: &Tree, findings: &mut Findings) {
    for file in tree.with_extension(&["rs"]) {
        let count = file.text.lines().count();
        if count > LINES_MAX && !module_doc(&file.text).contains(EXCUSE) {
            findings.problem(
                &file.path,
                format_args!(
                    "{count} lines: split it, or say in the module doc that it is {EXCUSE} …"
                ),
            );
        }
    }
}

/// The text of the leading `//!` lines, as one line.
fn module_doc(text: &str) -> String {
    text.lines()
        .skip_while(|line| line.is_empty())
        .map_while(|line| line.strip_prefix("//!"))
        .map(str::trim)
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(doc: &str, lines: usize) -> usize {
        let mut findings = Findings::default();
        let text = format!("{doc}{}", "fn f() {}\n".repeat(lines));
        check(&Tree::sketch(&[("a.rs", &text)]), &mut findings);
        findings.problems.len()
    }

    #[test]
    fn a_long_file_needs_its_reason() {
        assert_eq!(problems("", LINES_MAX), 0);
        assert_eq!(problems("", LINES_MAX + 1), 1);
        assert_eq!(problems("//! All flags.\n", LINES_MAX), 1);
        assert_eq!(
            problems("//! All flags; the file is long\n//! because it is a list.\n", 2000),
            0
        );
        assert_eq!(problems("// this is long because of nothing\n", 2000), 1);
    }
}
