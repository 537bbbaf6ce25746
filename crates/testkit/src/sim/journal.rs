/// What happened, for people. Off unless a run is to be read: formatting is most of the cost.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    lines: Option<Vec<String>>,
}

impl Journal {
    pub fn new(is_on: bool) -> Self {
        Self { lines: is_on.then(Vec::new) }
    }

    pub fn note(&mut self, now_us: i64, line: impl FnOnce() -> String) {
        if let Some(lines) = &mut self.lines {
            lines.push(format!("{:>10.3} ms  {}", now_us as f64 / 1_000.0, line()));
        }
    }

    pub fn into_lines(self) -> Vec<String> {
        self.lines.unwrap_or_default()
    }
}
