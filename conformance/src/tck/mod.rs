//! The technology compatibility kit of DMN.
//!
//! A case counts when every result it names is as expected. A model that is refused, a panic and
//! a time-out fail the cases concerned and nothing else.

mod case;
mod compare;
mod judge;
mod report;
mod runner;
mod value;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;

use case::Suite;
use report::Report;

pub fn run(folder: &Path, short: bool) -> Result<()> {
    let mut suites: BTreeMap<PathBuf, Vec<Suite>> = BTreeMap::new();
    for path in crate::files::find(folder, &["xml"])? {
        let bytes = std::fs::read(&path)?;
        match case::read_suite(&path, &bytes) {
            Ok(Some(suite)) => {
                let home = path.parent().unwrap_or(folder).to_owned();
                suites.entry(home).or_default().push(suite);
            }
            Ok(None) => {}
            Err(error) => eprintln!("left out: {error:#}"),
        }
    }
    let mut report = Report::new(short);
    for (home, suites) in suites {
        let name = home.strip_prefix(folder).unwrap_or(&home).display().to_string();
        let name = if name.is_empty() { ".".to_owned() } else { name };
        for suite in suites {
            let verdicts = runner::run_suite(&home, &suite)?;
            report.add(&name, &suite, verdicts);
        }
    }
    report.print();
    Ok(())
}
