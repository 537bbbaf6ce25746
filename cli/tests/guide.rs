//! Every command of the guide to the languages says what the guide says it says.

use std::process::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const PROMPT: &str = "$ orloj ";

struct Example {
    line: usize,
    words: Vec<String>,
    said: String,
}

#[test]
fn the_examples_of_the_guide_are_true() {
    let guide = std::fs::read_to_string(format!("{ROOT}/docs/guides/languages.md")).unwrap();
    let examples = examples(&guide);
    assert!(examples.len() > 20, "only {} examples were found", examples.len());
    let mut wrong = String::new();
    for example in &examples {
        let output = Command::new(env!("CARGO_BIN_EXE_orloj"))
            .args(&example.words)
            .current_dir(ROOT)
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let said = text(output.stdout) + &text(output.stderr);
        if said.trim_end() != example.said.trim_end() {
            wrong += &format!(
                "line {}, {:?} says:\n{said}\nbut the guide:\n{}\n",
                example.line, example.words, example.said
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// In code blocks, a prompt with a command and below it what it says.
fn examples(guide: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut is_code = false;
    let mut is_answer = false;
    for (at, line) in guide.lines().enumerate() {
        if line.starts_with("```") {
            (is_code, is_answer) = (!is_code, false);
        } else if let Some(command) = line.strip_prefix(PROMPT).filter(|_| is_code) {
            let words = split(command);
            examples.push(Example { line: at + 1, words, said: String::new() });
            is_answer = true;
        } else if let Some(example) = examples.last_mut().filter(|_| is_answer) {
            example.said.push_str(line);
            example.said.push('\n');
        }
    }
    examples
}

/// Words as a shell splits them; single quotes are all that the guide uses.
fn split(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut is_quoted = false;
    for c in command.chars() {
        match c {
            '\'' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            ' ' if !is_quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}
