//! The list of steps a command took, printed at its end; one failed step fails the command.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

#[derive(Default)]
pub struct Summary {
    steps: Vec<Step>,
}

struct Step {
    name: String,
    took: Duration,
    /// What to say beside the name: a note when it passed, the error when it did not.
    outcome: Result<String, String>,
}

impl Summary {
    /// Runs one step. A failure is kept for the end, so that one run shows everything that is wrong.
    pub fn step(&mut self, name: &str, run: impl FnOnce() -> Result<String>) {
        eprintln!("\n== {name}");
        let started = Instant::now();
        let outcome = run().map_err(|error| format!("{error:#}"));
        if let Err(error) = &outcome {
            eprintln!("error: {error}");
        }
        self.steps.push(Step { name: name.to_owned(), took: started.elapsed(), outcome });
    }

    /// Prints the table and says whether everything passed.
    pub fn finish(self) -> Result<()> {
        eprintln!("\n== summary");
        eprint!("{}", self.table());
        let failed: Vec<&str> = self
            .steps
            .iter()
            .filter(|step| step.outcome.is_err())
            .map(|step| step.name.as_str())
            .collect();
        if !failed.is_empty() {
            bail!("failed: {}", failed.join(", "));
        }
        Ok(())
    }

    fn table(&self) -> String {
        let width = self.steps.iter().map(|step| step.name.len()).max().unwrap_or(0);
        let mut table = String::new();
        for step in &self.steps {
            let (mark, text) = match &step.outcome {
                Ok(note) => ("ok    ", note.as_str()),
                Err(error) => ("FAILED", error.lines().next().unwrap_or_default()),
            };
            let seconds = step.took.as_secs_f64();
            let line = format!("{mark}  {:width$}  {seconds:6.1} s  {text}", step.name);
            table.push_str(line.trim_end());
            table.push('\n');
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn one_failed_step_fails_the_whole_and_the_others_still_run() {
        let mut summary = Summary::default();
        summary.step("first", || Err(anyhow!("the first line\nthe second")));
        summary.step("second", || Ok("3 things".to_owned()));
        let table = summary.table();
        assert!(table.contains("FAILED  first "), "{table}");
        assert!(table.contains("the first line") && !table.contains("the second"), "{table}");
        assert!(table.contains("ok      second"), "{table}");
        assert!(table.contains("3 things"), "{table}");
        assert_eq!(summary.finish().unwrap_err().to_string(), "failed: first");
    }

    #[test]
    fn nothing_failed_is_success() {
        let mut summary = Summary::default();
        summary.step("only", || Ok(String::new()));
        summary.finish().unwrap();
    }
}
