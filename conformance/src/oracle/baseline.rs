//! The figures that were reached before: none may fall.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context, Result, bail};

use super::compare::LEVELS;
use super::tally::Tally;

/// By source.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Baseline(BTreeMap<String, Tally>);

impl Baseline {
    pub fn of<'a>(tallies: impl IntoIterator<Item = (&'a str, Tally)>) -> Self {
        Self(tallies.into_iter().map(|(name, tally)| (name.to_owned(), tally)).collect())
    }

    /// Reads rows of source, runs and how many of them reach each level.
    pub fn parse(text: &str) -> Result<Self> {
        let mut rows = BTreeMap::new();
        for (at, line) in text.lines().enumerate().skip(1) {
            let row = || format!("baseline, line {}", at + 1);
            let mut cells = line.split('\t');
            let name = cells.next().with_context(row)?.to_owned();
            let numbers = cells.map(str::parse).collect::<Result<Vec<usize>, _>>();
            let numbers = numbers.with_context(row)?;
            let [runs, l0, l1, l2, l3] = numbers[..] else { bail!("{}: six columns", row()) };
            rows.insert(name, Tally { runs, reached: [l0, l1, l2, l3] });
        }
        Ok(Self(rows))
    }

    pub fn text(&self) -> String {
        let mut text = format!("source\truns\t{}\n", LEVELS.join("\t"));
        for (name, tally) in &self.0 {
            let [l0, l1, l2, l3] = tally.reached;
            let _ = writeln!(text, "{name}\t{}\t{l0}\t{l1}\t{l2}\t{l3}", tally.runs);
        }
        text
    }

    /// Each figure that is now lower, in words. Sources that were not played are not judged.
    pub fn fallen(&self, now: &Self) -> Vec<String> {
        let mut fallen = Vec::new();
        for (name, now) in &now.0 {
            let Some(before) = self.0.get(name) else { continue };
            for (at, level) in LEVELS.iter().enumerate() {
                let (before, now) = (before.reached[at], now.reached[at]);
                if now < before {
                    fallen.push(format!("{name} {level}: {now} runs, before {before}"));
                }
            }
        }
        fallen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lower_figure_is_named_and_a_higher_one_is_not() {
        let tally = |reached| Tally { runs: 9, reached };
        let before = Baseline::of([("a", tally([9, 8, 7, 6])), ("b", tally([1, 1, 1, 1]))]);
        assert_eq!(Baseline::parse(&before.text()).unwrap(), before);
        let now = Baseline::of([("a", tally([9, 9, 6, 6]))]);
        assert_eq!(before.fallen(&now), ["a L2: 6 runs, before 7"]);
        assert!(now.fallen(&now).is_empty());
        assert!(Baseline::parse("head\na\t1\tx").is_err());
    }
}
