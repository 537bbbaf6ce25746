/// Whether unlocked, ready jobs of one kind may exist in the store.
///
/// A job may be handed over in process only while none do: that keeps the configured order, since
/// a job never overtakes one that was there before. The mark is raised by every job inserted
/// unlocked, by notices of other nodes, and by an acquisition that came back full; it is lowered
/// only by an acquisition that came back short, and only if nothing raised it since that
/// acquisition was sent.
#[derive(Clone, Debug)]
pub struct Backlog {
    empty: bool,
    raised: u64,
}

impl Default for Backlog {
    /// Nothing is known, so there may be jobs.
    fn default() -> Self {
        Self { empty: false, raised: 0 }
    }
}

impl Backlog {
    pub fn is_empty(&self) -> bool {
        self.empty
    }

    pub fn raise(&mut self) {
        self.empty = false;
        self.raised += 1;
    }

    /// To be kept with an acquisition when it is sent.
    pub fn mark(&self) -> u64 {
        self.raised
    }

    /// An acquisition sent at `mark` got `got` of at most `limit` jobs.
    pub fn acquired(&mut self, mark: u64, got: usize, limit: usize) {
        if got < limit && mark == self.raised {
            self.empty = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_short_acquisition_that_nothing_overtook_empties_it() {
        let mut backlog = Backlog::default();
        assert!(!backlog.is_empty());
        backlog.acquired(backlog.mark(), 10, 10);
        assert!(!backlog.is_empty(), "a full one proves nothing");
        let mark = backlog.mark();
        backlog.raise();
        backlog.acquired(mark, 0, 10);
        assert!(!backlog.is_empty(), "a job came after the acquisition had looked");
        backlog.acquired(backlog.mark(), 9, 10);
        assert!(backlog.is_empty());
    }
}
