//! Retry cycles: how often a failed job is tried again, and how long it waits in between.

use jiff::Span;
use orloj_expr::Expression;

/// `failedJobRetryTimeCycle` of an element.
#[derive(Clone, Debug)]
pub enum RetryCycle {
    Fixed(RetryPlan),
    /// Gives the text of a cycle, anew at every failure.
    Computed(Expression),
}

/// Tries in all and the waits between them.
#[derive(Clone, Debug, PartialEq)]
pub struct RetryPlan {
    /// At least 1.
    pub tries: u32,
    /// Walked in order; never empty.
    pub waits: Vec<Wait>,
}

/// A calendar duration: `P1M` is not `P30D`.
#[derive(Clone, Debug)]
pub struct Wait(pub Span);

impl PartialEq for Wait {
    fn eq(&self, other: &Self) -> bool {
        self.0.fieldwise() == other.0.fieldwise()
    }
}
