//! A bar on stderr while long work goes on. Without a terminal there is none.

use indicatif::{ProgressBar, ProgressStyle};

const LOOK: &str = "{prefix} [{bar:40}] {pos}/{len} ({eta} left)";

pub struct Progress(ProgressBar);

impl Progress {
    pub fn new(what: &str, total: u64) -> Self {
        let bar = ProgressBar::new(total);
        let style = ProgressStyle::with_template(LOOK).expect("the template is constant");
        bar.set_style(style.progress_chars("=> "));
        bar.set_prefix(what.to_owned());
        Self(bar)
    }

    /// More may have come, or some may have gone, since they were counted.
    pub fn to(&self, done: u64, total: u64) {
        self.0.set_length(total.max(done));
        self.0.set_position(done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
