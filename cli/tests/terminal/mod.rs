//! The program as it is typed, in the folder of the models.

use std::fmt::Write as _;
use std::process::Command;

/// What a terminal shows of these commands, and how each ended. What went to stderr is marked.
pub fn transcript(commands: &[&[&str]]) -> String {
    let mut out = String::new();
    for words in commands {
        let output = Command::new(env!("CARGO_BIN_EXE_orloj"))
            .args(*words)
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/models"))
            .output()
            .unwrap();
        let _ = writeln!(out, "$ orloj {}", words.join(" "));
        out.push_str(&String::from_utf8(output.stdout).unwrap());
        for line in String::from_utf8(output.stderr).unwrap().lines() {
            let _ = writeln!(out, "! {line}");
        }
        let code = output.status.code().unwrap();
        if code != 0 {
            let _ = writeln!(out, "exit code {code}");
        }
        out.push('\n');
    }
    out
}
