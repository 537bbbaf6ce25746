//! Dialects end at the parser: the interpreter follows fields that are named for what they do, and
//! never asks for which engine a model was written.
//!
//! Comments may name the engines, because they say why a field is there. Tests may, because they
//! show what a field of each engine does.

use super::findings::Findings;
use super::tree::{File, Tree};

const JUDGED: &str = "crates/interpreter/src/";
/// What tests are written with.
const TESTING: &str = "crates/interpreter/src/testing/";
const TESTS_BEGIN: &str = "mod tests {";
const WORDS: &[&str] = &["dialect", "zeebe", "camunda", "operaton", "flowable", "activiti"];

pub fn check(tree: &Tree, findings: &mut Findings) {
    let is_judged = |file: &&File| file.path.starts_with(JUDGED) && !file.path.starts_with(TESTING);
    for file in tree.with_extension(&["rs"]).filter(is_judged) {
        for (number, line) in file.lines().take_while(|(_, line)| *line != TESTS_BEGIN) {
            let code = line.split("//").next().unwrap_or_default().to_lowercase();
            if let Some(word) = WORDS.iter().find(|word| code.contains(**word)) {
                let place = format!("{}:{number}", file.path);
                let advice = "name what is done, as a field of the model that the parser fills";
                findings.problem(place, format_args!("the interpreter knows no {word}: {advice}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(path: &str, text: &str) -> Vec<String> {
        let mut findings = Findings::default();
        check(&Tree::sketch(&[(path, text)]), &mut findings);
        findings.problems
    }

    #[test]
    fn code_of_the_interpreter_names_no_engine() {
        let code = "use a::B;\nlet is_lenient = profile == Profile::Flowable;\n";
        let found = problems("crates/interpreter/src/jobs.rs", code);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("crates/interpreter/src/jobs.rs:2: "), "{found:?}");
        let prefix = r#"const RESERVED: &str = "io.camunda.zeebe:";"#;
        assert_eq!(problems("crates/interpreter/src/element/user_task.rs", prefix).len(), 1);
    }

    #[test]
    fn comments_tests_and_other_crates_may() {
        let reason = "// DIFFERENCE: in Flowable it waits.\nlet a = 1; // as Zeebe does\n";
        assert_eq!(problems("crates/interpreter/src/jobs.rs", reason), [] as [&str; 0]);
        let tested = "fn f() {}\n#[cfg(test)]\nmod tests {\n    Sketch::zeebe()\n}\n";
        assert_eq!(problems("crates/interpreter/src/jobs.rs", tested), [] as [&str; 0]);
        let sketch = "Semantics::of(Dialect::Zeebe)";
        assert_eq!(problems("crates/interpreter/src/testing/sketch.rs", sketch), [] as [&str; 0]);
        assert_eq!(problems("crates/model/src/semantics.rs", sketch), [] as [&str; 0]);
    }
}
