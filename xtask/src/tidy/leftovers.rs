//! Nothing half-finished stays in the code without an issue that remembers it.

use super::findings::Findings;
use super::tree::Tree;

const CODE: &[&str] = &["rs", "sql", "proto", "toml", "sh", "py", "js", "ts", "tsx", "css", "html"];

/// Never allowed. Written in two pieces, because this file is judged like every other.
const FORBIDDEN: &[&str] = &[
    concat!("dbg", "!("),
    concat!("todo", "!("),
    concat!("unimplemented", "!("),
    concat!("FIX", "ME"),
];
/// Allowed with the number of an issue on the same line.
const REMINDER: &str = concat!("TO", "DO");

pub fn check(tree: &Tree, findings: &mut Findings) {
    for file in tree.with_extension(CODE) {
        for (number, line) in file.lines() {
            let place = format!("{}:{number}", file.path);
            for word in FORBIDDEN {
                if has_word(line, word) {
                    findings.problem(&place, format_args!("leftover {word}"));
                }
            }
            if has_word(line, REMINDER) && !names_an_issue(line) {
                findings.problem(&place, format_args!("{REMINDER} without the issue, as in #12"));
            }
        }
    }
}

/// Whether `word` stands in `line` and is not the end or the beginning of a longer word.
fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let is_inner = |character: Option<char>| {
            character.is_some_and(|character| character.is_alphanumeric() || character == '_')
        };
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !is_inner(before) && (word.ends_with('(') || !is_inner(after))
    })
}

fn names_an_issue(line: &str) -> bool {
    line.match_indices('#').any(|(at, _)| line[at + 1..].starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(path: &str, line: &str) -> usize {
        let mut findings = Findings::default();
        check(&Tree::sketch(&[(path, line)]), &mut findings);
        findings.problems.len()
    }

    #[test]
    fn leftovers_are_found() {
        for word in FORBIDDEN {
            assert_eq!(problems("a.rs", &format!("    {word} x);")), 1, "{word}");
        }
        assert_eq!(problems("a.sql", &format!("-- {REMINDER}: later")), 1);
        assert_eq!(problems("a.rs", &format!("// {REMINDER}(anna) # not a number")), 1);
    }

    #[test]
    fn a_reminder_with_an_issue_and_longer_words_pass() {
        assert_eq!(problems("a.rs", &format!("// {REMINDER} #12: later")), 0);
        assert_eq!(problems("a.rs", &format!("// {REMINDER}(#12): later")), 0);
        assert_eq!(problems("a.rs", &format!("const {REMINDER}_LIST: u8 = 1;")), 0);
        assert_eq!(problems("a.rs", &format!("my_{}x)", FORBIDDEN[0])), 0);
        assert_eq!(problems("a.md", &format!("we never leave a {}", FORBIDDEN[3])), 0);
    }
}
