//! Parses every BPMN file below a folder and prints what became of them.
//!
//! `cargo run -p orloj-model --example corpus -- FOLDER [CODE]`: with a code, also lists the files
//! that were refused for it. Ends with status 1 when a file made the parser panic.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use orloj_model::{Options, Parsed, Severity, parse};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next() else {
        eprintln!("usage: corpus FOLDER [CODE]");
        return ExitCode::FAILURE;
    };
    let wanted = arguments.next();
    let mut files = Vec::new();
    if let Err(error) = gather(Path::new(&folder), &mut files) {
        eprintln!("{folder}: {error}");
        return ExitCode::FAILURE;
    }
    files.sort();
    let mut summary = Summary::default();
    for file in &files {
        match std::fs::read(file) {
            Ok(bytes) => summary.take(file, &bytes, wanted.as_deref()),
            Err(error) => eprintln!("{}: {error}", file.display()),
        }
    }
    summary.print(files.len());
    if summary.panicked.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.to_string_lossy();
        if path.is_dir() {
            gather(&path, files)?;
        } else if name.ends_with(".bpmn") || name.ends_with(".xml") {
            files.push(path);
        }
    }
    Ok(())
}

#[derive(Default)]
struct Summary {
    /// By folder: accepted with processes, accepted without, refused.
    outcomes: BTreeMap<String, [usize; 3]>,
    dialects: BTreeMap<String, usize>,
    /// Files with an error or warning of that code.
    codes: BTreeMap<(&'static str, &'static str), usize>,
    panicked: Vec<PathBuf>,
    bytes: usize,
    time: Duration,
    slowest: Option<(Duration, PathBuf)>,
}

impl Summary {
    #[expect(clippy::disallowed_methods, reason = "a program of its own that measures")]
    fn take(&mut self, file: &Path, bytes: &[u8], wanted: Option<&str>) {
        let started = Instant::now();
        let parsed = std::panic::catch_unwind(|| parse(bytes, &Options::default()));
        let took = started.elapsed();
        self.time += took;
        self.bytes += bytes.len();
        if self.slowest.as_ref().is_none_or(|(longest, _)| took > *longest) {
            self.slowest = Some((took, file.to_owned()));
        }
        match parsed {
            Ok(parsed) => self.count(file, &parsed, wanted),
            Err(_) => self.panicked.push(file.to_owned()),
        }
    }

    fn count(&mut self, file: &Path, parsed: &Parsed, wanted: Option<&str>) {
        let folder = file.parent().and_then(Path::file_name).unwrap_or_default();
        let outcome = match (parsed.has_errors(), parsed.processes.is_empty()) {
            (false, false) => 0,
            (false, true) => 1,
            (true, _) => 2,
        };
        let counts = self.outcomes.entry(folder.to_string_lossy().into_owned()).or_default();
        counts[outcome] += 1;
        *self.dialects.entry(parsed.dialect.to_string()).or_default() += 1;
        let mut codes: Vec<_> = parsed
            .diagnostics
            .iter()
            .map(|diagnostic| {
                let severity = match diagnostic.severity {
                    Severity::Error => "error",
                    Severity::Warning => "warning",
                    Severity::Advice => "advice",
                };
                (severity, diagnostic.code)
            })
            .collect();
        for diagnostic in &parsed.diagnostics {
            if wanted == Some(diagnostic.code) {
                println!("{}:{diagnostic}", file.display());
            }
        }
        codes.sort_unstable();
        codes.dedup();
        for code in codes {
            *self.codes.entry(code).or_default() += 1;
        }
    }

    fn print(&self, files: usize) {
        println!("{:<20} {:>9} {:>9} {:>9}", "folder", "accepted", "empty", "refused");
        for (folder, [accepted, empty, refused]) in &self.outcomes {
            println!("{folder:<20} {accepted:>9} {empty:>9} {refused:>9}");
        }
        println!();
        for (dialect, count) in &self.dialects {
            println!("{dialect:<20} {count:>9}");
        }
        println!();
        for ((severity, code), count) in &self.codes {
            println!("{severity:<8} {code:<32} {count:>6} files");
        }
        println!();
        for file in &self.panicked {
            println!("panic: {}", file.display());
        }
        let megabytes = self.bytes as f64 / 1e6;
        println!(
            "{files} files, {megabytes:.1} MB, {} panics, {:.0} ms",
            self.panicked.len(),
            self.time.as_secs_f64() * 1e3
        );
        if let Some((took, file)) = &self.slowest {
            println!("slowest: {:.1} ms, {}", took.as_secs_f64() * 1e3, file.display());
        }
    }
}
