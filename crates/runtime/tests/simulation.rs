//! The simulated world: many seeds, every invariant after every step, every planted defect found.
//!
//! `ORLOJ_SIM_SEEDS` sets how many seeds are run, `ORLOJ_SIM_FROM` the first of them, and
//! `ORLOJ_SIM_SEED` names one to be replayed with its journal.

#![expect(clippy::disallowed_methods, reason = "the speed of the simulation is measured")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use orloj::node::Sabotage;
use orloj_testkit::sim::{Failure, Library, Marks, Ran, run};

const SEEDS: u64 = 1_000;
/// How much of a failing seed's journal is shown.
const JOURNAL_LINES: usize = 150;

#[test]
fn every_invariant_holds_in_every_seed() {
    let library = Library::new();
    if let Some(seed) = number("ORLOJ_SIM_SEED") {
        return replay(&library, seed);
    }
    let (from, seeds) = (number("ORLOJ_SIM_FROM"), number("ORLOJ_SIM_SEEDS"));
    let (from, seeds) = (from.unwrap_or(0), seeds.unwrap_or(SEEDS));
    let began = Instant::now();
    let mut marks = Marks::default();
    for seed in from..from + seeds {
        match attempt(&library, seed, None) {
            Ok(ran) => marks.merge(&ran.marks),
            Err(_) => {
                replay(&library, seed);
                panic!("seed {seed} failed and then held: the simulation is not deterministic");
            }
        }
    }
    let seconds = began.elapsed().as_secs_f64();
    println!("{seeds} seeds in {seconds:.1} s, {:.0} seeds/s", seeds as f64 / seconds);
    print!("{marks}");
    if seeds >= SEEDS {
        assert_eq!(marks.missing(), [""; 0], "the simulation never came to these corners");
    }
}

/// A simulation that finds nothing proves nothing: each planted defect must be found, and found
/// as an invariant it breaks.
#[test]
fn every_planted_defect_is_found() {
    let library = Library::new();
    let defects = [
        (Sabotage::AnswerEarly, &["I9"][..]),
        (Sabotage::AssumeLanded, &["I9", "I1", "I5"]),
        // "store": what happened once would be written twice, which a primary key forbids.
        (Sabotage::AssumeLost, &["I2", "I9", "I1", "store"]),
        (Sabotage::FireEarly, &["I8"]),
        (Sabotage::FenceTheLiving, &["I3"]),
        (Sabotage::IgnoreExclusive, &["I5"]),
        (Sabotage::IgnoreHeld, &["I5"]),
        (Sabotage::IgnoreLimits, &["I6"]),
        (Sabotage::SeeTooEarly, &["I6", "suspension", "tenants"]),
        (Sabotage::Overtake, &["I7"]),
        (Sabotage::ForgetSignals, &["signals"]),
        (Sabotage::KeepTenants, &["tenants"]),
    ];
    for (sabotage, invariants) in defects {
        let found = (0..SEEDS).find_map(|seed| attempt(&library, seed, Some(sabotage)).err());
        let failure = found.unwrap_or_else(|| panic!("{sabotage:?} is not found"));
        let failure = failure.unwrap_or_else(|| panic!("{sabotage:?} panics instead"));
        println!("{sabotage:?}: {failure}");
        let invariant = failure.violation.invariant;
        assert!(invariants.contains(&invariant), "{sabotage:?} is found as {invariant}");
    }
}

/// Otherwise a failing seed could not be looked at.
#[test]
fn a_seed_repeats_itself_exactly() {
    let library = Library::new();
    let journal = |seed| match run(&library, seed, None, true) {
        Ok(ran) => ran.journal,
        Err(failure) => failure.journal,
    };
    for seed in 0..20 {
        let (first, second) = (journal(seed), journal(seed));
        let differs = first.iter().zip(&second).position(|(one, other)| one != other);
        assert_eq!(differs.map(|at| (&first[at], &second[at])), None, "seed {seed}");
        assert_eq!(first.len(), second.len(), "seed {seed}");
    }
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} must be a number, not '{text}'")))
}

/// `Err(None)` when the node panicked.
fn attempt(
    library: &Library,
    seed: u64,
    sabotage: Option<Sabotage>,
) -> Result<Ran, Option<Box<Failure>>> {
    let run = || run(library, seed, sabotage, false);
    catch_unwind(AssertUnwindSafe(run)).map_err(|_| None)?.map_err(Some)
}

/// Runs a seed with a journal and tells its end.
fn replay(library: &Library, seed: u64) {
    println!("ORLOJ_SIM_SEED={seed} cargo test -p orloj --test simulation -- --nocapture");
    let is_asked_for = number("ORLOJ_SIM_SEED").is_some();
    match run(library, seed, None, true) {
        Ok(ran) if is_asked_for => println!("{}\nseed {seed} holds", ran.journal.join("\n")),
        Ok(_) => {}
        Err(mut failure) => {
            if !is_asked_for {
                let lines = failure.journal.len();
                failure.journal.drain(..lines.saturating_sub(JOURNAL_LINES));
            }
            panic!("{failure}");
        }
    }
}
