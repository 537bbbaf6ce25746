/// Whose rules a text follows: what is accepted, where durations are added around a change of the
/// clock, how often a repetition fires, and what becomes of missed firings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    Camunda7,
    Flowable,
    Zeebe,
}

/// What the model says the text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Date,
    Duration,
    /// A repetition or a cron expression.
    Cycle,
}

impl Dialect {
    /// Cron as Quartz writes it: Sunday is 1, and there may be years.
    pub(crate) fn is_quartz(self) -> bool {
        self == Self::Flowable
    }
}
