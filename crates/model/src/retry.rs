//! Retry cycles as models and settings have them.

use orloj_expr::{Expression, Language};
pub use orloj_timer::{RetryError, RetryPlan, TRIES_MAX, WAITS_MAX, Wait};

/// `failedJobRetryTimeCycle` of an element, or of all that have none.
#[derive(Clone, Debug)]
pub enum RetryCycle {
    Fixed(RetryPlan),
    /// Gives the text of a cycle, anew at every failure.
    Computed(Expression),
}

impl RetryCycle {
    /// An expression in `${…}` or `#{…}`, or the text of a cycle.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.starts_with("${") || text.starts_with("#{") {
            let parsed = Expression::parse(Language::Uel, text);
            return parsed.map(Self::Computed).map_err(|error| {
                format!("the expression {text:?} does not parse: {}", error.message)
            });
        }
        let plan = RetryPlan::parse(text);
        plan.map(Self::Fixed).map_err(|error| format!("the retry cycle {text:?}: {error}"))
    }
}
