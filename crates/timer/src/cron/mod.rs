//! Cron in two dialects, which agree on what a set of times means and differ in how it is written
//! and in what happens around a change of the clock.

mod days;
mod local;
mod names;
mod quartz;
mod set;
mod spring;
mod years;
mod zoned;

use crate::dialect::Dialect;
use crate::error::ParseError;
use days::Months;
use set::Set;
use years::Years;

/// A set of local times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cron {
    seconds: Set,
    minutes: Set,
    hours: Set,
    days: Months,
    months: Set,
    /// `None`: every year.
    years: Option<Years>,
    is_quartz: bool,
    /// False where no day of the calendar fits, so that nobody looks for one.
    is_possible: bool,
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

/// A word of the text and where it begins.
#[derive(Clone, Copy)]
pub(crate) struct Word<'a> {
    text: &'a str,
    offset: usize,
}

impl<'a> Word<'a> {
    fn wrong(self, message: &str) -> ParseError {
        ParseError::new(format!("{message}: '{}'", self.text), self.offset)
    }

    fn split(self, by: char) -> impl Iterator<Item = Word<'a>> {
        self.text
            .split(by)
            .map(move |text| Word { text, offset: self.offset + place(self.text, text) })
    }
}

fn words(text: &str) -> Vec<Word<'_>> {
    text.split_whitespace().map(|word| Word { text: word, offset: place(text, word) }).collect()
}

/// Where `part`, a slice of `whole`, begins.
fn place(whole: &str, part: &str) -> usize {
    part.as_ptr() as usize - whole.as_ptr() as usize
}
