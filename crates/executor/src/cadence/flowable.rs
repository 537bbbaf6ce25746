//! Flowable's waits: even pauses, none after a full page.

/// With the defaults of Flowable's executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waits {
    /// `maxAsyncJobsDuePerAcquisition`.
    pub jobs_max: usize,
    /// `defaultAsyncJobAcquireWaitTime`.
    pub jobs_ms: i64,
    /// `defaultQueueSizeFullWaitTime`.
    pub queue_full_ms: i64,
}

impl Default for Waits {
    fn default() -> Self {
        Self { jobs_max: 512, jobs_ms: 10_000, queue_full_ms: 5_000 }
    }
}

/// What one look brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    Got(usize),
    /// There was no room to look for anything, or not for all that was got.
    QueueFull,
    Failed,
}

impl Waits {
    /// A page is bounded by the room in the queue.
    pub fn page(&self, room: usize) -> usize {
        self.jobs_max.min(room)
    }

    pub fn after_jobs(&self, look: Look) -> i64 {
        match look {
            Look::QueueFull => self.queue_full_ms,
            Look::Got(jobs) if jobs >= self.jobs_max => 0,
            Look::Got(_) | Look::Failed => self.jobs_ms,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_full_page_is_followed_by_the_next_at_once() {
        let waits = Waits { jobs_max: 4, ..Waits::default() };
        let table = [
            (Look::Got(4), 0),
            (Look::Got(3), 10_000),
            (Look::Got(0), 10_000),
            (Look::QueueFull, 5_000),
            (Look::Failed, 10_000),
        ];
        for (look, ms) in table {
            assert_eq!(waits.after_jobs(look), ms, "{look:?}");
        }
        // A page that only the queue kept small is no full one.
        assert_eq!((waits.page(2), waits.after_jobs(Look::Got(2))), (2, 10_000));
    }
}
