//! BPMN files cut off wherever they can be: none may make the parser panic or take its time.

#![expect(clippy::disallowed_methods, reason = "it measures how long files take")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use orloj_model::{Options, parse};

/// Files up to this size are cut at every byte, larger ones at some places.
const EVERY_BYTE_MAX: usize = 8 << 10;
const PLACES: usize = 300;
/// A file that takes longer is a find. A build without optimisation has twenty times as long.
const SLOW: Duration = Duration::from_millis(if cfg!(debug_assertions) { 10_000 } else { 500 });
/// All of them together take no more memory.
const MEMORY_MB_MAX: u64 = 200;
/// Found problems that are shown.
const SHOWN_MAX: usize = 20;

#[derive(clap::Args)]
pub struct Arguments {
    /// Where the files lie
    folder: PathBuf,
    /// Only every so many of the places, for a quick look
    #[arg(long, default_value_t = 1)]
    every: usize,
}

/// What went wrong, by file and place.
struct Find {
    file: PathBuf,
    end: usize,
    problem: String,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let files = crate::files::find(&arguments.folder, &["bpmn", "xml"])?;
    ensure!(!files.is_empty(), "no files under {}", arguments.folder.display());
    let finds = Mutex::new(Vec::new());
    let (next, parses) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    // What a panic says is in the list of finds.
    std::panic::set_hook(Box::new(|_| {}));
    std::thread::scope(|scope| -> Result<()> {
        let work = || -> Result<()> {
            while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                let done = check(file, arguments.every.max(1), &finds)?;
                parses.fetch_add(done, Ordering::Relaxed);
            }
            Ok(())
        };
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        for handle in handles {
            handle.join().map_err(|_| anyhow::anyhow!("a worker panicked"))??;
        }
        Ok(())
    })?;
    let finds = finds.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    for find in finds.iter().take(SHOWN_MAX) {
        println!("{} cut at {}: {}", find.file.display(), find.end, find.problem);
    }
    let peak = peak_mb();
    let memory = peak.map_or_else(String::new, |mb| format!(", at most {mb} MB"));
    println!(
        "{} files, {} parses, {} finds{memory}",
        files.len(),
        parses.load(Ordering::Relaxed),
        finds.len()
    );
    ensure!(finds.is_empty(), "files that are cut off must be refused quietly");
    ensure!(
        peak.is_none_or(|mb| mb <= MEMORY_MB_MAX),
        "files that are cut off must not take more than {MEMORY_MB_MAX} MB"
    );
    Ok(())
}

fn check(file: &Path, every: usize, finds: &Mutex<Vec<Find>>) -> Result<usize> {
    let content = std::fs::read(file).with_context(|| file.display().to_string())?;
    let mut parses = 0;
    for end in ends(content.len()).into_iter().step_by(every).chain([content.len()]) {
        parses += 1;
        let began = Instant::now();
        let parsed = catch_unwind(AssertUnwindSafe(|| parse(&content[..end], &Options::default())));
        let problem = match parsed {
            Err(_) => "a panic".to_owned(),
            Ok(_) if began.elapsed() > SLOW => format!("{} ms", began.elapsed().as_millis()),
            Ok(_) => continue,
        };
        let mut finds = finds.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        finds.push(Find { file: file.to_owned(), end, problem });
    }
    Ok(parses)
}

/// Where a file of so many bytes is cut off.
fn ends(length: usize) -> Vec<usize> {
    if length <= EVERY_BYTE_MAX {
        return (0..length).collect();
    }
    // The same places every time, spread by a step that shares no factor with the length.
    const STEP: usize = 2_654_435_761;
    (1..=PLACES).map(|place| place.wrapping_mul(STEP) % length).collect()
}

/// The most memory this process has had.
fn peak_mb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kb: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kb / 1_024)
}
