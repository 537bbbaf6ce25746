//! All rules over the whole tree.

use anyhow::{Result, bail};

use super::findings::Findings;
use super::tree::Tree;
use super::{
    arrows, dialects, knobs, leftovers, length, links, lock, machine, migrations, pins, programs,
};
use crate::workspace;

/// `cargo xtask tidy`
pub fn run() -> Result<()> {
    let tree = Tree::read(&workspace::root())?;
    let mut findings = Findings::default();
    arrows::check(&workspace::metadata()?, &mut findings);
    for rule in [
        migrations::check,
        links::check,
        leftovers::check,
        length::check,
        lock::check,
        machine::check,
        pins::check,
        programs::check,
        knobs::check,
        dialects::check,
    ] {
        rule(&tree, &mut findings);
    }
    for problem in &findings.problems {
        eprintln!("tidy: {problem}");
    }
    match findings.problems.len() {
        0 => {
            eprintln!("tidy: {} files in order", tree.files().len());
            Ok(())
        }
        1 => bail!("tidy found 1 problem"),
        count => bail!("tidy found {count} problems"),
    }
}
