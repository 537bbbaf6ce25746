//! Runs the cases of one file, each within a time limit and safe from panics.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use orloj_dmn::{Model, Options};
use orloj_types::Timestamp;

use super::case::Suite;
use super::judge::{Verdict, judge};

/// Cases take well under a millisecond.
const CASE_SECONDS_MAX: u64 = 10;
/// Deep expressions are bounded by budgets, not by the stack of this thread.
const STACK_BYTES: usize = 32 << 20;

/// One verdict for each case, in their order.
pub fn run_suite(home: &Path, suite: &Suite) -> Result<Vec<Verdict>> {
    let files = match model_files(home, suite) {
        Ok(files) => Arc::new(files),
        Err(error) => {
            let failed = Verdict::Failed(vec![format!("{error:#}")]);
            return Ok(vec![failed; suite.cases.len()]);
        }
    };
    let now = now();
    let suite = Arc::new(suite.clone());
    let mut verdicts: Vec<Verdict> = Vec::with_capacity(suite.cases.len());
    while verdicts.len() < suite.cases.len() {
        let start = verdicts.len();
        let (sender, receiver) = mpsc::channel();
        let (files, worked_on) = (files.clone(), suite.clone());
        thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn(move || run_from(start, &worked_on, &files, now, &sender))
            .context("cannot start a thread")?;
        loop {
            match receiver.recv_timeout(Duration::from_secs(CASE_SECONDS_MAX)) {
                Ok(verdict) => verdicts.push(verdict),
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    // The thread is left behind; the next case gets a new one.
                    let message = format!("no result within {CASE_SECONDS_MAX} s");
                    verdicts.push(Verdict::Failed(vec![message]));
                    break;
                }
            }
            if verdicts.len() == suite.cases.len() {
                break;
            }
        }
        if verdicts.len() == start {
            verdicts.push(Verdict::Failed(vec!["the thread ended without a result".into()]));
        }
    }
    Ok(verdicts)
}

fn run_from(
    start: usize,
    suite: &Suite,
    files: &[Vec<u8>],
    now: Timestamp,
    sender: &mpsc::Sender<Verdict>,
) {
    let parsed = catch_unwind(|| {
        let (main, imports) = files.split_first().expect("the model comes first");
        let imports = imports.iter().map(|bytes| &**bytes).collect();
        Model::parse(main, &Options { imports, lenient: true, ..Options::default() })
    });
    for case in &suite.cases[start..] {
        let verdict = match &parsed {
            Err(_) => Verdict::Failed(vec!["panic while the model was parsed".into()]),
            Ok(Err(diagnostics)) => Verdict::Failed(vec![format!("refused: {diagnostics}")]),
            Ok(Ok(model)) => catch_unwind(AssertUnwindSafe(|| judge(model, case, now)))
                .unwrap_or_else(|_| Verdict::Failed(vec!["panic".into()])),
        };
        if sender.send(verdict).is_err() {
            return;
        }
    }
}

/// The model that the test file names, then the others of its folder.
fn model_files(home: &Path, suite: &Suite) -> Result<Vec<Vec<u8>>> {
    let mut paths: Vec<_> = std::fs::read_dir(home)?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|e| e.eq_ignore_ascii_case("dmn")))
        .collect();
    paths.sort();
    let named = suite.model.as_deref().unwrap_or_default();
    let is_main = |path: &std::path::PathBuf| path.file_name().is_some_and(|name| name == named);
    let main = paths.iter().position(is_main).or_else(|| {
        let stem = |path: &Path| path.file_stem().unwrap_or_default().to_owned();
        paths.iter().position(|path| suite.file.starts_with(&*stem(path).to_string_lossy()))
    });
    let main = main.with_context(|| format!("{}: no model {named:?}", home.display()))?;
    paths.swap(0, main);
    paths.iter().map(|path| Ok(std::fs::read(path)?)).collect()
}

/// Cases about today need the real day.
#[expect(clippy::disallowed_methods, reason = "this is a command, the driver of what it calls")]
fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let millis = since.map(|since| since.as_millis()).unwrap_or_default();
    Timestamp::from_ms(i64::try_from(millis).unwrap_or_default())
}
