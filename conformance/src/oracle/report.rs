//! What a replay prints, and the page that is kept of it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::compare::{LEVELS, Verdict};
use super::exceptions::Exceptions;
use super::manifest::Manifest;
use super::tally::Tally;

/// How much of a difference is shown.
const WHY_CHARS_MAX: usize = 400;
/// The same, on the page.
const PAGE_WHY_CHARS_MAX: usize = 160;
/// Failed actions that are told of one run.
const FAILURES_LISTED_MAX: usize = 3;

/// The verdicts of one source.
pub struct Judged {
    pub source: &'static str,
    /// In the order of the runs' ids.
    pub verdicts: BTreeMap<String, Verdict>,
    /// Why actions failed here, by run.
    pub failures: BTreeMap<String, Vec<String>>,
}

pub struct Report<'a> {
    pub judged: &'a [Judged],
    pub manifest: &'a Manifest,
    pub exceptions: &'a Exceptions,
}

/// Which disagreements are listed.
#[derive(Clone, Copy, Debug)]
pub struct Listing {
    pub runs_max: usize,
    /// Only those that do not reach this level but all below it.
    pub level: Option<usize>,
}

impl Judged {
    pub fn tally(&self) -> Tally {
        tally(self.verdicts.values())
    }
}

impl Report<'_> {
    /// For the terminal: a table for each source, then disagreements.
    pub fn text(&self, listing: Listing) -> String {
        let mut out = String::new();
        for judged in self.judged {
            let _ = writeln!(out, "{:<34} {:>7} {}", judged.source, "runs", heads());
            for (name, tally) in self.rows(judged) {
                let _ = writeln!(out, "{name:<34} {tally}");
            }
            out.push('\n');
        }
        self.write_disagreements(&mut out, listing);
        let _ = writeln!(out, "{:<34} {:>7} {}", "all sources", "runs", heads());
        for judged in self.judged {
            let _ = writeln!(out, "{:<34} {}", judged.source, judged.tally());
        }
        let _ = writeln!(out, "{:<34} {}", "all", self.all());
        out
    }

    /// For the repository.
    pub fn page(&self) -> String {
        let mut out = String::from(PAGE_HEAD);
        write_page_head(&mut out, "source");
        for judged in self.judged {
            write_page_row(&mut out, judged.source, &judged.tally());
        }
        write_page_row(&mut out, "**all**", &self.all());
        for judged in self.judged {
            let _ = writeln!(out, "\n## {}\n", judged.source);
            write_page_head(&mut out, "runs of");
            for (name, tally) in self.rows(judged) {
                write_page_row(&mut out, &name, &tally);
            }
        }
        let _ = writeln!(out, "\n## Disagreements\n");
        let _ = writeln!(out, "| run | level not reached | what differs |\n| --- | --- | --- |");
        for (levels, why, run, _) in self.disagreements(None) {
            let why = self.exceptions.reason(run).unwrap_or(why);
            let why: String = why.chars().take(PAGE_WHY_CHARS_MAX).collect();
            let why = why.replace('|', "\\|").replace('\n', " ");
            let _ = writeln!(out, "| `{run}` | {} | {why} |", LEVELS[levels]);
        }
        let excepted = self.exceptions.runs().count();
        if excepted > 0 {
            let _ = writeln!(
                out,
                "\n{excepted} of the runs that disagree are believed to show a defect of the real \
                 engine (`exceptions.tsv`); they count as disagreements all the same."
            );
        }
        out
    }

    /// Exceptions for runs that agree, or that do not exist.
    pub fn needless_exceptions(&self) -> Vec<&str> {
        let disagrees = |run: &str| {
            let mut verdicts = self.judged.iter().filter_map(|judged| judged.verdicts.get(run));
            verdicts.any(|verdict| verdict.levels < LEVELS.len())
        };
        self.exceptions.runs().filter(|run| !disagrees(run)).collect()
    }

    fn all(&self) -> Tally {
        let mut all = Tally::default();
        for judged in self.judged {
            all.add_all(&judged.tally());
        }
        all
    }

    /// All, then by pass, by class, and by what the files contain, most frequent first.
    fn rows(&self, judged: &Judged) -> Vec<(String, Tally)> {
        let mut rows = vec![("all".to_owned(), judged.tally())];
        let mut passes: BTreeMap<String, Tally> = BTreeMap::new();
        let mut classes: BTreeMap<String, Tally> = BTreeMap::new();
        let mut features: BTreeMap<String, Tally> = BTreeMap::new();
        for (run, verdict) in &judged.verdicts {
            let pass = run.rsplit('#').next().unwrap_or_default();
            passes.entry(format!("pass {pass}")).or_default().add(verdict);
            let Some(entry) = self.manifest.of_run(run) else { continue };
            classes.entry(format!("class {}", entry.class)).or_default().add(verdict);
            for feature in &entry.features {
                features.entry(feature.clone()).or_default().add(verdict);
            }
        }
        rows.extend(passes);
        rows.extend(classes);
        let mut features: Vec<(String, Tally)> = features.into_iter().collect();
        features.sort_by(|(a, x), (b, y)| y.runs.cmp(&x.runs).then_with(|| a.cmp(b)));
        rows.extend(features);
        rows
    }

    /// Those of one level or of all, the gravest first, with the actions that failed here.
    fn disagreements(
        &self,
        level: Option<usize>,
    ) -> Vec<(usize, &str, &String, Option<&Vec<String>>)> {
        let mut wrong = Vec::new();
        for judged in self.judged {
            for (run, verdict) in &judged.verdicts {
                let why = verdict.why.as_deref().unwrap_or_default();
                let is_asked = level.is_none_or(|level| level == verdict.levels);
                if verdict.levels < LEVELS.len() && is_asked {
                    wrong.push((verdict.levels, why, run, judged.failures.get(run)));
                }
            }
        }
        wrong.sort_unstable();
        wrong
    }

    fn write_disagreements(&self, out: &mut String, listing: Listing) {
        let wrong = self.disagreements(listing.level);
        for (levels, why, run, failures) in wrong.iter().take(listing.runs_max) {
            let _ = writeln!(out, "{} not reached: {run}", LEVELS[*levels]);
            let why: String = why.chars().take(WHY_CHARS_MAX).collect();
            let _ = writeln!(out, "    {why}");
            for failure in failures.iter().copied().flatten().take(FAILURES_LISTED_MAX) {
                let _ = writeln!(out, "    {failure}");
            }
            if let Some(reason) = self.exceptions.reason(run) {
                let _ = writeln!(out, "    exception: {reason}");
            }
        }
        if listing.runs_max > 0 {
            out.push('\n');
        }
    }
}

const PAGE_HEAD: &str = "\
# Conformance with the real engines

Runs of real models, played here and by the engines they were written for: the share of runs that \
agree. A level counts only when those below hold: L0 is whether the files are taken, L1 where the \
run comes to, L2 every visit, variable and incident at the end, L3 every single step and job. \
Runs that the real engine itself could not finish are left out. Written by `cargo run --release -p orloj-conformance -- oracle --write`; a figure that falls fails \
`cargo xtask conformance`.

";

fn heads() -> String {
    LEVELS.map(|level| format!("{level:>7}")).join(" ")
}

fn write_page_head(out: &mut String, what: &str) {
    let _ = writeln!(out, "| {what} | runs | {} |", LEVELS.join(" | "));
    let _ = writeln!(out, "| --- | --: |{}", " --: |".repeat(LEVELS.len()));
}

fn write_page_row(out: &mut String, name: &str, tally: &Tally) {
    let _ = write!(out, "| {name} | {} |", tally.runs);
    for level in 0..LEVELS.len() {
        let _ = write!(out, " {:.1} % |", tally.share(level));
    }
    out.push('\n');
}

fn tally<'a>(verdicts: impl Iterator<Item = &'a Verdict>) -> Tally {
    let mut tally = Tally::default();
    verdicts.for_each(|verdict| tally.add(verdict));
    tally
}
