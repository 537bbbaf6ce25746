//! What a run prints.

use std::collections::BTreeMap;

use super::case::Suite;
use super::judge::Verdict;

#[derive(Default)]
pub struct Report {
    short: bool,
    folders: BTreeMap<String, Count>,
    failures: Vec<String>,
}

#[derive(Default, Clone, Copy)]
struct Count {
    passed: usize,
    cases: usize,
}

impl Report {
    pub fn new(short: bool) -> Self {
        Self { short, ..Self::default() }
    }

    pub fn add(&mut self, folder: &str, suite: &Suite, verdicts: Vec<Verdict>) {
        let count = self.folders.entry(folder.to_owned()).or_default();
        for (case, verdict) in suite.cases.iter().zip(verdicts) {
            count.cases += 1;
            match verdict {
                Verdict::Passed => count.passed += 1,
                Verdict::Failed(reasons) => {
                    let reasons = match self.short {
                        true => reasons.join("; ").lines().next().unwrap_or_default().to_owned(),
                        false => reasons.join("\n    "),
                    };
                    let line = format!("{folder} {} {}\n    {reasons}", suite.file, case.id);
                    let line = if self.short { line.replace("\n    ", ": ") } else { line };
                    self.failures.push(line);
                }
            }
        }
    }

    pub fn print(&self) {
        let width = self.folders.keys().map(|name| name.chars().count()).max().unwrap_or(0);
        let mut all = Count::default();
        for (name, count) in &self.folders {
            println!("{name:width$}  {:>4} / {:>4}", count.passed, count.cases);
            all.passed += count.passed;
            all.cases += count.cases;
        }
        if !self.failures.is_empty() {
            println!("\nfailing:");
            for failure in &self.failures {
                println!("  {failure}");
            }
            println!();
        }
        println!("{} of {} cases", all.passed, all.cases);
    }
}
