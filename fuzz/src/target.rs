//! The targets by name.

use crate::mutation::mutated;
use crate::random::Random;
use crate::{bpmn, dmn, feel, groovy, process, timer, uel};

pub struct Target {
    pub name: &'static str,
    /// Whether the input was accepted, by one of the dialects at least.
    pub check: fn(&[u8]) -> bool,
    pub seeds: &'static [&'static str],
    /// A new input from the seeds.
    pub make: fn(&mut Random) -> String,
}

pub const ALL: &[Target] = &[
    Target {
        name: "feel",
        check: feel::check,
        seeds: feel::SEEDS,
        make: |random| mutated(feel::SEEDS, feel::WORDS, random),
    },
    Target {
        name: "uel",
        check: uel::check,
        seeds: uel::SEEDS,
        make: |random| mutated(uel::SEEDS, uel::WORDS, random),
    },
    Target {
        name: "timer",
        check: timer::check,
        seeds: timer::SEEDS,
        make: |random| mutated(timer::SEEDS, timer::WORDS, random),
    },
    Target { name: "dmn", check: dmn::check, seeds: dmn::SEEDS, make: dmn::make },
    Target {
        name: "groovy",
        check: groovy::check,
        seeds: groovy::SEEDS,
        make: |random| mutated(groovy::SEEDS, groovy::WORDS, random),
    },
    Target { name: "bpmn", check: bpmn::check, seeds: bpmn::SEEDS, make: bpmn::make },
    Target { name: "process", check: process::check, seeds: process::SEEDS, make: process::make },
];
