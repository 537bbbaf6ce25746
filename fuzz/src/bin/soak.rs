//! Mutated texts for one target, or all of them, with the stable toolchain.
//!
//! Every input follows from the seed and its number, so a find can be run again. The input being
//! tried is kept in a file as well: it survives what no program survives, such as an overflow of
//! the stack.

use std::fs::File;
use std::io::{Seek, Write};
use std::panic;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use orloj_fuzz::random::Random;
use orloj_fuzz::target::{self, Target};

/// Every budget ends an evaluation within milliseconds; some checks make dozens of evaluations.
const INPUT_MS_MAX: u64 = 5_000;
/// As large as the threads that evaluate for the engine have it.
const STACK_BYTES: usize = 2 << 20;

const USAGE: &str = "\
usage: soak TARGET [--seconds N] [--inputs N] [--seed N] [--input NUMBER] [--file FILE]

TARGET is feel, uel, timer, dmn, groovy, bpmn, process or all. Without a limit it runs for 60 seconds per target.
--input runs a single one of the inputs again, --file the content of a file.";

struct Arguments {
    targets: Vec<&'static Target>,
    seconds: u64,
    inputs: u64,
    seed: u64,
    input: Option<u64>,
    file: Option<PathBuf>,
}

/// Started at, in milliseconds; zero when nothing runs.
static RUNNING_SINCE: AtomicU64 = AtomicU64::new(0);

fn main() -> ExitCode {
    let arguments = match parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("{message}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let began = Instant::now();
    std::thread::spawn(move || watch(began));
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES);
    let worker = worker.spawn(move || arguments.targets.iter().all(|t| run(t, &arguments, began)));
    match worker.map(|worker| worker.join()) {
        Ok(Ok(true)) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// Ends the program when an input takes too long.
fn watch(began: Instant) {
    loop {
        std::thread::sleep(Duration::from_millis(250));
        let since = RUNNING_SINCE.load(Ordering::Relaxed);
        if since > 0 && millis(began).saturating_sub(since) > INPUT_MS_MAX {
            eprintln!("the input takes longer than {INPUT_MS_MAX} ms");
            std::process::exit(1);
        }
    }
}

fn millis(began: Instant) -> u64 {
    began.elapsed().as_millis() as u64 + 1
}

fn run(target: &Target, arguments: &Arguments, began: Instant) -> bool {
    let path = std::env::temp_dir().join(format!("orloj-soak-{}.input", target.name));
    let mut kept = match File::create(&path) {
        Ok(file) => file,
        Err(error) => {
            eprintln!("{}: {error}", path.display());
            return false;
        }
    };
    eprintln!("{}: the current input is in {}", target.name, path.display());
    if let Some(file) = &arguments.file {
        return match std::fs::read(file) {
            Ok(input) => try_input(target, &input, "the file", began).is_some(),
            Err(error) => {
                eprintln!("{}: {error}", file.display());
                false
            }
        };
    }
    let (first, last) = match arguments.input {
        Some(number) => (number, number + 1),
        None => (0, arguments.inputs),
    };
    let started = Instant::now();
    let (mut number, mut accepted, mut slowest) = (first, 0_u64, (Duration::ZERO, 0));
    while number < last && started.elapsed().as_secs() < arguments.seconds {
        let input = input(target, arguments.seed, number);
        // Without the file a find is still known by its number.
        let _ = keep(&mut kept, &input);
        let before = Instant::now();
        let label = format!("--seed {} --input {number}", arguments.seed);
        match try_input(target, &input, &label, began) {
            Some(was_accepted) => accepted += u64::from(was_accepted),
            None => return false,
        }
        slowest = slowest.max((before.elapsed(), number));
        number += 1;
    }
    println!(
        "{}: {} inputs ({} accepted) in {:.1} s, the slowest in {:.1} ms (--input {})",
        target.name,
        number - first,
        accepted,
        started.elapsed().as_secs_f64(),
        slowest.0.as_secs_f64() * 1_000.0,
        slowest.1,
    );
    true
}

/// The seeds themselves come first.
fn input(target: &Target, seed: u64, number: u64) -> Vec<u8> {
    if let Some(text) = usize::try_from(number).ok().and_then(|at| target.seeds.get(at)) {
        return text.as_bytes().to_vec();
    }
    let mut random = Random::new(seed, number);
    let mut input = (target.make)(&mut random).into_bytes();
    if random.one_in(50) && !input.is_empty() {
        let at = random.below(input.len());
        input[at] ^= 1 << random.below(8);
    }
    input
}

fn keep(file: &mut File, input: &[u8]) -> std::io::Result<()> {
    file.rewind()?;
    file.write_all(input)?;
    file.set_len(input.len() as u64)
}

/// Whether the input was accepted; `None` when the check failed.
fn try_input(target: &Target, input: &[u8], label: &str, began: Instant) -> Option<bool> {
    RUNNING_SINCE.store(millis(began), Ordering::Relaxed);
    let result = panic::catch_unwind(|| (target.check)(input));
    RUNNING_SINCE.store(0, Ordering::Relaxed);
    if result.is_err() {
        eprintln!("{} {label}:\n{}", target.name, String::from_utf8_lossy(input));
    }
    result.ok()
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let name = words.next().ok_or("which target?")?;
    let targets: Vec<&Target> =
        target::ALL.iter().filter(|target| name == "all" || name == target.name).collect();
    if targets.is_empty() {
        return Err(format!("there is no target {name}"));
    }
    let mut arguments = Arguments {
        targets,
        seconds: u64::MAX,
        inputs: u64::MAX,
        seed: 1,
        input: None,
        file: None,
    };
    while let Some(flag) = words.next() {
        let value = words.next().ok_or_else(|| format!("{flag} needs a value"))?;
        if flag == "--file" {
            arguments.file = Some(value.into());
            continue;
        }
        let number: u64 = value.parse().map_err(|_| format!("{flag} needs a number"))?;
        match flag.as_str() {
            "--seconds" => arguments.seconds = number,
            "--inputs" => arguments.inputs = number,
            "--seed" => arguments.seed = number,
            "--input" => arguments.input = Some(number),
            _ => return Err(format!("there is no flag {flag}")),
        }
    }
    if arguments.seconds == u64::MAX && arguments.inputs == u64::MAX {
        arguments.seconds = 60;
    }
    Ok(arguments)
}
