//! The simulated world: many seeds, every invariant after every step, every planted defect found.
//!
//! `ORLOJ_SIM_SEEDS` sets how many seeds are run, `ORLOJ_SIM_SEED` names one to be replayed with
//! its journal.

#![expect(clippy::disallowed_methods, reason = "the speed of the simulation is measured")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use orloj::node::Sabotage;
use orloj_testkit::sim::{Failure, Library, Marks, run};

const SEEDS: u64 = 1_000;
/// How much of a failing seed's journal is shown.
const JOURNAL_LINES: usize = 150;

#[test]
fn every_invariant_holds_in_every_seed() {
    let library = Library::new();
    if let Some(seed) = number("ORLOJ_SIM_SEED") {
        return replay(&library, seed, None);
    }
    let seeds = number("ORLOJ_SIM_SEEDS").unwrap_or(SEEDS);
    let began = Instant::now();
    let mut marks = Marks::default();
    for seed in 0..seeds {
        match attempt(&library, seed, None) {
            Ok(reached) => marks.merge(&reached),
            Err(_) => replay(&library, seed, None),
        }
    }
    let seconds = began.elapsed().as_secs_f64();
    println!("{seeds} seeds in {seconds:.1} s, {:.0} seeds/s", seeds as f64 / seconds);
    for (mark, times) in &marks.0 {
        println!("{times:>9} {mark}");
    }
}

/// A simulation that finds nothing proves nothing: each planted defect must be found, and found
/// as the invariant it breaks.
#[test]
fn every_planted_defect_is_found() {
    let library = Library::new();
    let defects = [
        (Sabotage::AnswerEarly, &["I9"][..]),
        (Sabotage::AssumeLanded, &["I9", "I1"]),
        (Sabotage::AssumeLost, &["I2", "I9", "I1"]),
        (Sabotage::FireEarly, &["I8"]),
        (Sabotage::FenceTheLiving, &["I3"]),
        (Sabotage::IgnoreExclusive, &["I5"]),
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

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} must be a number, not '{text}'")))
}

/// `Err` also when the node panicked.
fn attempt(
    library: &Library,
    seed: u64,
    sabotage: Option<Sabotage>,
) -> Result<Marks, Option<Box<Failure>>> {
    let run = || run(library, seed, sabotage, false);
    catch_unwind(AssertUnwindSafe(run)).map_err(|_| None)?.map_err(Some)
}

/// Runs a seed with a journal and tells its end.
fn replay(library: &Library, seed: u64, sabotage: Option<Sabotage>) {
    println!("replaying seed {seed}: ORLOJ_SIM_SEED={seed} cargo test -p orloj --test simulation");
    let Err(mut failure) = run(library, seed, sabotage, true) else {
        println!("seed {seed} holds");
        return;
    };
    if number("ORLOJ_SIM_SEED").is_none() {
        let lines = failure.journal.len();
        failure.journal.drain(..lines.saturating_sub(JOURNAL_LINES));
    }
    panic!("{failure}");
}
