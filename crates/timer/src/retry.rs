//! Retry cycles: how often a failed job is tried again, and how long it waits in between.

use jiff::Span;

/// Tries of `R/PT5M`, which names no number: the largest that Camunda's and Flowable's tables hold.
pub const TRIES_MAX: u32 = i32::MAX as u32;
/// Waits of one list. Even a wait a day would take years to use them up.
pub const WAITS_MAX: usize = 1_000;

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

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RetryError {
    #[error("it is empty")]
    Empty,
    #[error(
        "it must be a duration, R and a number of tries and a duration, or a list of durations"
    )]
    Malformed,
    #[error("the number of tries must be a whole number up to {TRIES_MAX}")]
    Tries,
    #[error("it lists more than {WAITS_MAX} waits")]
    TooManyWaits,
}

impl RetryPlan {
    /// `R5/PT5M`: five tries. `PT5M`: two. `PT1M,PT5M`: three, with these waits in between.
    ///
    /// A wait of a list that is no duration does not spoil the others: that retry follows at once,
    /// as in Camunda. [`Self::unusable`] names such waits.
    pub fn parse(text: &str) -> Result<Self, RetryError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(RetryError::Empty);
        }
        let parts: Vec<&str> = text.split(',').map(str::trim).take(WAITS_MAX + 1).collect();
        match parts[..] {
            [single] => {
                let (tries, wait) = parse_single(single)?;
                Ok(Self { tries, waits: vec![wait] })
            }
            _ if parts.len() > WAITS_MAX => Err(RetryError::TooManyWaits),
            _ => {
                let tries = parts.len() as u32 + 1;
                let wait = |part: &&str| parse_single(part).map_or(Wait(Span::new()), |(_, w)| w);
                Ok(Self { tries, waits: parts.iter().map(wait).collect() })
            }
        }
    }

    /// As [`Self::parse`]; a wait alone means so many tries.
    pub fn parse_for(text: &str, tries_of_wait: u32) -> Result<Self, RetryError> {
        let mut plan = Self::parse(text)?;
        if plan.waits.len() == 1 && !text.trim().starts_with('R') {
            plan.tries = tries_of_wait;
        }
        Ok(plan)
    }

    /// The wait after a failure of a job that had this many retries left when it was tried.
    ///
    /// A list is walked in order and its last wait also follows the last failure. A job whose
    /// retries were raised above the length of the list waits as at its first failure.
    pub fn wait_after(&self, retries_before: u32) -> &Wait {
        let last = self.waits.len() - 1;
        let still_to_go = usize::try_from(retries_before.saturating_sub(1)).unwrap_or(usize::MAX);
        &self.waits[self.waits.len().saturating_sub(still_to_go).min(last)]
    }

    /// The parts of a list that are no durations.
    pub fn unusable<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let parts = text.split(',').map(str::trim).take(self.waits.len());
        parts.filter(|part| parse_single(part).is_err()).collect()
    }
}

/// `PT5M`, `R3/PT5M` or `R/PT5M`.
fn parse_single(text: &str) -> Result<(u32, Wait), RetryError> {
    let Some(repeat) = text.strip_prefix('R') else {
        return Ok((2, parse_wait(text)?));
    };
    // Camunda and Flowable do not see what a slash at the end leaves empty.
    let repeat = repeat.trim_end_matches('/');
    let (count, duration) = repeat.split_once('/').ok_or(RetryError::Malformed)?;
    let wait = parse_wait(duration)?;
    let tries = match count.trim() {
        "" => TRIES_MAX,
        digits if digits.bytes().all(|b| b.is_ascii_digit()) => {
            digits.parse().ok().filter(|&n| n <= TRIES_MAX).ok_or(RetryError::Tries)?
        }
        _ => return Err(RetryError::Tries),
    };
    Ok((tries.max(1), wait))
}

fn parse_wait(text: &str) -> Result<Wait, RetryError> {
    let text = text.trim();
    // The library would also read `5 minutes` and signs, which no compatible system does.
    if !text.starts_with('P') {
        return Err(RetryError::Malformed);
    }
    text.parse().map(Wait).map_err(|_| RetryError::Malformed)
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;

    use super::*;

    fn plan(text: &str) -> (u32, Vec<Wait>) {
        let plan = RetryPlan::parse(text).expect(text);
        (plan.tries, plan.waits)
    }

    fn minutes(list: &[i64]) -> Vec<Wait> {
        list.iter().map(|&n| Wait(n.minutes())).collect()
    }

    #[test]
    fn reads_every_form() {
        assert_eq!(plan("R5/PT5M"), (5, minutes(&[5])));
        assert_eq!(plan("R/PT5M"), (TRIES_MAX, minutes(&[5])));
        assert_eq!(plan("R5/PT5M/"), (5, minutes(&[5])));
        assert_eq!(plan("R0/PT5M"), (1, minutes(&[5])));
        assert_eq!(plan("R1/PT5M"), (1, minutes(&[5])));
        assert_eq!(plan(" PT5M "), (2, minutes(&[5])));
        assert_eq!(plan("PT10M, PT17M ,PT20M"), (4, minutes(&[10, 17, 20])));
        assert_eq!(plan("P1M"), (2, vec![Wait(1.months())]));
        assert_ne!(plan("P1M"), plan("P30D"));
    }

    #[test]
    fn a_bad_wait_in_a_list_is_no_wait() {
        let text = "PT1M, soon, PT3M,";
        let parsed = RetryPlan::parse(text).expect("a list");
        assert_eq!(parsed.tries, 5);
        assert_eq!(parsed.waits[1], Wait(Span::new()));
        assert_eq!(parsed.waits[2], Wait(3.minutes()));
        assert_eq!(parsed.unusable(text), ["soon", ""]);
    }

    #[test]
    fn refuses_what_is_no_cycle() {
        let error = |text: &str| RetryPlan::parse(text).expect_err(text);
        assert_eq!(error("  "), RetryError::Empty);
        for text in ["soon", "5 minutes", "-PT5M", "P", "R5", "R5/", "R5/soon", "pt5m"] {
            assert_eq!(error(text), RetryError::Malformed, "{text}");
        }
        for text in ["R-1/PT5M", "Rx/PT5M", "R2147483648/PT5M", "R99999999999999/PT5M"] {
            assert_eq!(error(text), RetryError::Tries, "{text}");
        }
        assert_eq!(error(&"PT1M,".repeat(WAITS_MAX)), RetryError::TooManyWaits);
    }

    #[test]
    fn a_list_is_walked_in_order_and_ends_with_its_last_wait() {
        let plan = RetryPlan::parse("PT1M,PT2M,PT3M").expect("a list");
        let walked: Vec<_> = (1..=4).rev().map(|left| plan.wait_after(left).clone()).collect();
        assert_eq!(walked, minutes(&[1, 2, 3, 3]));
        assert_eq!(plan.wait_after(5), &Wait(1.minutes()), "raised by an operator");
        assert_eq!(plan.wait_after(u32::MAX), &Wait(1.minutes()));
        assert_eq!(plan.wait_after(0), &Wait(3.minutes()));
    }
}
