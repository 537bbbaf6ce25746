use jiff::civil::{Date, DateTime, Time};

use super::Cron;

const YEAR_LAST: i16 = 9_999;

impl Cron {
    /// The first fitting local time that is not before `from`, which has whole seconds.
    pub(super) fn at_or_after(&self, from: DateTime) -> Option<DateTime> {
        if !self.is_possible {
            return None;
        }
        let (first_year, first_month, first_day) =
            (from.year(), from.month() as u8, from.day() as u8);
        let mut year = self.year_at_least(first_year)?;
        let (mut month, mut day) =
            if year == first_year { (first_month, first_day) } else { (1, 1) };
        loop {
            while let Some(fitting) = self.months.at_least(month) {
                if fitting != month {
                    (month, day) = (fitting, 1);
                }
                let days = self.days.days(year, month);
                while let Some(fitting) = days.at_least(day) {
                    day = fitting;
                    let is_first = (year, month, day) == (first_year, first_month, first_day);
                    let time = match is_first {
                        true => self.time_at_least(from.time()),
                        false => self.time_at_least(Time::midnight()),
                    };
                    if let Some(time) = time {
                        let date = Date::new(year, month as i8, day as i8).ok()?;
                        return Some(date.to_datetime(time));
                    }
                    day += 1;
                }
                (month, day) = (month + 1, 1);
            }
            year = self.year_at_least(year.checked_add(1)?)?;
            (month, day) = (1, 1);
        }
    }

    fn year_at_least(&self, year: i16) -> Option<i16> {
        match &self.years {
            None => (year <= YEAR_LAST).then_some(year),
            Some(years) => years.at_least(year),
        }
    }

    fn time_at_least(&self, from: Time) -> Option<Time> {
        let (hour, minute, second) = (from.hour() as u8, from.minute() as u8, from.second() as u8);
        if self.hours.contains(hour) {
            if self.minutes.contains(minute)
                && let Some(second) = self.seconds.at_least(second)
            {
                return time(hour, minute, second);
            }
            if let Some(minute) = self.minutes.at_least(minute + 1) {
                return time(hour, minute, self.seconds.first()?);
            }
        }
        let hour = self.hours.at_least(hour + 1)?;
        time(hour, self.minutes.first()?, self.seconds.first()?)
    }
}

fn time(hour: u8, minute: u8, second: u8) -> Option<Time> {
    Time::new(hour as i8, minute as i8, second as i8, 0).ok()
}
