//! Runs in which the real engine is believed to be wrong. They count as failed all the same.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

/// Reasons by run.
#[derive(Debug, Default)]
pub struct Exceptions(BTreeMap<String, String>);

impl Exceptions {
    /// Reads rows of run and reason, parted by a tab; lines with a hash before them are remarks.
    pub fn parse(text: &str) -> Result<Self> {
        let mut rows = BTreeMap::new();
        for (at, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            match line.split_once('\t') {
                Some((run, reason)) if !reason.trim().is_empty() => {
                    rows.insert(run.to_owned(), reason.trim().to_owned());
                }
                _ => bail!("exceptions, line {}: a run, a tab and a reason", at + 1),
            }
        }
        Ok(Self(rows))
    }

    pub fn reason(&self, run: &str) -> Option<&str> {
        self.0.get(run).map(String::as_str)
    }

    pub fn runs(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exception_has_a_reason() {
        let text = "# run\treason\n\na#b\tit forgets a token\n";
        assert_eq!(Exceptions::parse(text).unwrap().reason("a#b"), Some("it forgets a token"));
        assert!(Exceptions::parse("a#b\t \n").is_err());
        assert!(Exceptions::parse("a#b\n").is_err());
    }
}
