//! What hostile texts cost: a table of the cases with the milliseconds of reading and running and
//! the megabytes of both. Exits with 1 when one is above what is promised.
//!
//! An argument selects the cases whose label contains it.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use orloj_fuzz::hostile::{Reader, World, cases};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The promise.
const MS_MAX: f64 = 10.0;
const MB_MAX: f64 = 10.0;
/// The best of these: other programs on the machine are not the expression's fault.
const RUNS: usize = 5;
/// As large as the threads that evaluate for the engine have it.
const STACK_BYTES: usize = 2 << 20;

fn main() -> ExitCode {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES);
    match worker.spawn(move || measure(&wanted)).map(|worker| worker.join()) {
        Ok(Ok(true)) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// Whether every case keeps the promise.
fn measure(wanted: &str) -> bool {
    let world = World::new();
    let (mut count, mut above) = (0, 0);
    println!("{:>9} {:>8} {:>7}  case and what it ends in", "read ms", "run ms", "MB");
    for case in cases() {
        let label = format!("{:?}: {}", case.reader, case.name);
        if !label.contains(wanted) {
            continue;
        }
        let (mut read_best, mut run_best) = (Duration::MAX, Duration::MAX);
        let mut outcome = String::new();
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        for _ in 0..RUNS {
            let began = Instant::now();
            let program = world.read(&case);
            read_best = read_best.min(began.elapsed());
            let began = Instant::now();
            outcome = match &program {
                Ok(program) => world.run(program),
                Err(refusal) => refusal.clone(),
            };
            run_best = run_best.min(began.elapsed());
        }
        let megabytes = MEMORY.peak_usage().saturating_sub(before) as f64 / f64::from(1 << 20);
        let ms = |time: Duration| time.as_secs_f64() * 1_000.0;
        // The files of decisions are read when they are deployed, and as large as files may be.
        let is_file = matches!(case.reader, Reader::Dmn(_));
        let whole = if is_file { run_best } else { read_best + run_best };
        let is_above = ms(whole) > MS_MAX || megabytes > MB_MAX;
        count += 1;
        above += usize::from(is_above);
        let mark = if is_above { "!" } else { " " };
        let (read, run, bytes) = (ms(read_best), ms(run_best), case.text.len());
        println!("{mark}{read:>8.2} {run:>8.2} {megabytes:>7.2}  {label} ({bytes} bytes)");
        println!("{:29}{}", "", outcome.chars().take(100).collect::<String>());
    }
    println!("{above} of {count} cases are above {MS_MAX} ms or {MB_MAX} MB");
    above == 0
}
