use super::days::Months;
use super::set::Set;
use super::years::Years;
use super::{quartz, spring};
use crate::dialect::Dialect;
use crate::error::ParseError;

/// A set of local times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cron {
    pub(super) seconds: Set,
    pub(super) minutes: Set,
    pub(super) hours: Set,
    pub(super) days: Months,
    pub(super) months: Set,
    /// `None`: every year.
    pub(super) years: Option<Years>,
    pub(super) is_quartz: bool,
    /// False where no day of the calendar fits, so that nobody looks for one.
    pub(super) is_possible: bool,
}

impl Cron {
    /// Spring's dialect for Camunda and Zeebe, that of Quartz for Flowable.
    pub fn parse(dialect: Dialect, text: &str) -> Result<Self, ParseError> {
        let mut cron = if dialect.is_quartz() { quartz::parse(text) } else { spring::parse(text) }?;
        cron.is_possible = cron.looks_possible();
        Ok(cron)
    }

    /// Looks at all lengths and first weekdays that a month can have. A combination that exists
    /// comes up at least every 40 years.
    fn looks_possible(&mut self) -> bool {
        if let Some(years) = &mut self.years {
            let (days, months) = (&self.days, self.months);
            years.retain(|year| months.iter().any(|month| !days.days(year, month).is_empty()));
            return !years.is_empty();
        }
        self.months.iter().any(|month| {
            let lengths: &[u8] = match month {
                2 => &[28, 29],
                4 | 6 | 9 | 11 => &[30],
                _ => &[31],
            };
            let fits =
                |&length: &u8| (0..7).any(|first| !self.days.of_kind(first, length).is_empty());
            lengths.iter().any(fits)
        })
    }
}
