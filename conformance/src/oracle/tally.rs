//! How many runs reach each level.

use std::fmt;

use super::compare::{LEVELS, Verdict};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub runs: usize,
    /// By level.
    pub reached: [usize; LEVELS.len()],
}

impl Tally {
    pub fn add(&mut self, verdict: &Verdict) {
        self.runs += 1;
        for reached in &mut self.reached[..verdict.levels] {
            *reached += 1;
        }
    }

    pub fn add_all(&mut self, other: &Self) {
        self.runs += other.runs;
        for (reached, more) in self.reached.iter_mut().zip(other.reached) {
            *reached += more;
        }
    }

    /// In percent.
    pub fn share(&self, level: usize) -> f64 {
        if self.runs == 0 {
            return 100.0;
        }
        // Far fewer runs than a double can count.
        #[expect(clippy::cast_precision_loss, reason = "see above")]
        let share = self.reached[level] as f64 / self.runs as f64;
        100.0 * share
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>7}", self.runs)?;
        for level in 0..LEVELS.len() {
            write!(f, " {:>6.1}%", self.share(level))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_counts_for_every_level_it_reaches() {
        let mut tally = Tally::default();
        for levels in [0, 2, 4, 4] {
            tally.add(&Verdict { levels, why: None });
        }
        assert_eq!(tally.reached, [3, 3, 2, 2]);
        assert_eq!(tally.to_string(), "      4   75.0%   75.0%   50.0%   50.0%");
    }
}
