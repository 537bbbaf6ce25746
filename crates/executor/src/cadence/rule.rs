use super::camunda::{Backoff, EngineCycle, SATURATED_MS};
use super::flowable::{Look, Waits};

/// The rule a node looks by.
#[derive(Clone, Debug, PartialEq)]
pub enum Cadence {
    Backoff(Backoff),
    Waits(Waits),
}

/// What one look for jobs brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looked {
    /// Jobs asked for; zero: there was no room, and the store was not asked.
    pub asked: usize,
    pub got: usize,
    /// The store did not answer.
    pub has_failed: bool,
    /// Something became ready meanwhile.
    pub is_hinted: bool,
}

impl Cadence {
    /// Takes what a look brought; gives how long to wait before the next. `random` is in `0..1`.
    pub fn looked(&mut self, looked: Looked, random: f64) -> i64 {
        match self {
            Self::Backoff(backoff) => {
                let engine = EngineCycle { requested: looked.asked, batches: looked.got };
                let recorded = std::slice::from_ref(&engine);
                backoff.reconfigure(recorded, looked.has_failed, looked.is_hinted);
                backoff.wait_ms(random)
            }
            Self::Waits(waits) => {
                let look = if looked.has_failed {
                    Look::Failed
                } else if looked.asked == 0 {
                    Look::QueueFull
                } else {
                    Look::Got(looked.got)
                };
                waits.after_jobs(look)
            }
        }
    }

    /// What a look for due jobs found has been worked on; `has_lost`: someone else had changed one
    /// of them before this node could. Gives how long to wait before the next such look. `random`
    /// is in `0..1`.
    pub fn fired(&mut self, has_lost: bool, random: f64) -> i64 {
        match self {
            Self::Backoff(backoff) => {
                backoff.selected(has_lost);
                backoff.backoff_ms(random)
            }
            Self::Waits(_) => 0,
        }
    }

    /// How many due jobs to look for, where `jobs_max` are usual.
    pub fn due_page(&self, jobs_max: usize) -> usize {
        match self {
            Self::Backoff(backoff) => backoff.grown_page(jobs_max),
            Self::Waits(_) => jobs_max,
        }
    }

    /// How many jobs to ask for at most, when `room` would find a place.
    pub fn page(&self, room: usize) -> usize {
        match self {
            Self::Backoff(backoff) => backoff.jobs_to_acquire().min(room),
            Self::Waits(waits) => waits.page(room),
        }
    }

    /// How long to rest when there is no room for what would be found.
    pub fn queue_full_ms(&self) -> i64 {
        match self {
            Self::Backoff(_) => 0,
            Self::Waits(waits) => waits.queue_full_ms,
        }
    }

    /// How long to rest when whoever runs jobs has rejected one.
    pub fn rejected_ms(&self) -> i64 {
        match self {
            Self::Backoff(_) => SATURATED_MS,
            Self::Waits(waits) => waits.queue_full_ms,
        }
    }

    /// How many jobs a full look brings, with all the room there is.
    pub fn page_max(&self) -> usize {
        self.page(usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::super::BackoffOptions;
    use super::*;

    fn empty(asked: usize) -> Looked {
        Looked { asked, ..Looked::default() }
    }

    #[test]
    fn an_idle_node_looks_less_and_less_often_until_something_comes() {
        let mut cadence = Cadence::Backoff(Backoff::new(BackoffOptions::default()));
        let idle: Vec<_> = (0..7).map(|_| cadence.looked(empty(3), 0.0)).collect();
        assert_eq!(idle, [5_000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
        assert_eq!(cadence.looked(Looked { is_hinted: true, ..empty(3) }, 0.0), 0);
        assert_eq!(cadence.looked(empty(3), 0.0), 5_000);
        assert_eq!(cadence.looked(Looked { got: 3, ..empty(3) }, 0.0), 0, "there may be more");
        assert_eq!((cadence.page(2), cadence.page(10)), (2, 3));
    }

    #[test]
    fn the_other_rule_waits_evenly() {
        let mut cadence = Cadence::Waits(Waits::default());
        assert_eq!(cadence.looked(empty(512), 0.0), 10_000);
        assert_eq!(cadence.looked(empty(512), 0.0), 10_000);
        assert_eq!(cadence.looked(empty(0), 0.0), 5_000, "the queue is full");
        assert_eq!(cadence.looked(Looked { got: 512, ..empty(512) }, 0.0), 0);
        assert_eq!(cadence.looked(Looked { has_failed: true, ..empty(512) }, 0.0), 10_000);
        assert_eq!(cadence.page_max(), 512);
        assert_eq!((cadence.fired(true, 0.0), cadence.due_page(64)), (0, 64), "no back-off");
        assert_eq!(cadence.rejected_ms(), 5_000);
    }

    #[test]
    fn due_jobs_lost_to_others_are_backed_off_from() {
        let options = BackoffOptions {
            backoff_ms: 50,
            backoff_ms_max: 400,
            decrease_threshold: 2,
            ..BackoffOptions::default()
        };
        let mut cadence = Cadence::Backoff(Backoff::new(options));
        assert_eq!((cadence.fired(false, 0.9), cadence.due_page(64)), (0, 64));
        assert_eq!((cadence.fired(true, 0.5), cadence.due_page(64)), (62, 128));
        assert_eq!((cadence.fired(true, 0.0), cadence.due_page(64)), (100, 256));
        assert_eq!(cadence.page_max(), 12, "acquisition grows with it");
        assert_eq!(cadence.fired(false, 0.9), 100, "no loss, no jitter");
        cadence.looked(Looked { got: 3, ..empty(3) }, 0.0);
        assert_eq!(cadence.due_page(64), 128, "two looks without a loss");
        assert_eq!(cadence.rejected_ms(), 100);
    }
}
