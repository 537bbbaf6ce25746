use super::set::Set;

/// Which days of a month fit: those that both fields allow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Days {
    pub of_month: DaysOfMonth,
    pub of_week: DaysOfWeek,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct DaysOfMonth {
    pub plain: Set,
    /// The weekdays nearest to these days.
    pub nearest: Set,
    /// So many days before the last.
    pub before_last: Option<u8>,
    /// The weekday nearest to the day so many days before the last.
    pub nearest_before_last: Option<u8>,
}

/// Sunday is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct DaysOfWeek {
    pub plain: Set,
    /// By number of the week in the month, from one.
    pub nth: [Set; 5],
    pub last: Set,
}

const SUNDAY: u8 = 0;
const SATURDAY: u8 = 6;

impl Days {
    /// Of a month that begins with weekday `first` and has `length` days.
    fn mask(&self, first: u8, length: u8) -> Set {
        let all = Set::range(1, length);
        let of_month = self.of_month.mask(first, length);
        of_month.intersection(self.of_week.mask(first, length)).intersection(all)
    }
}

/// The fitting days of every kind of month there is: four lengths, seven first weekdays. Looking
/// one up is all that a search over many years has to do per month.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Months([[Set; 7]; 4]);

const LENGTH_MIN: u8 = 28;

impl Months {
    pub fn new(days: &Days) -> Self {
        let mut months = [[Set::default(); 7]; 4];
        for (length, by_weekday) in (LENGTH_MIN..).zip(&mut months) {
            for (first, mask) in (0..).zip(by_weekday) {
                *mask = days.mask(first, length);
            }
        }
        Self(months)
    }

    pub fn of_kind(&self, first: u8, length: u8) -> Set {
        self.0[usize::from(length - LENGTH_MIN)][usize::from(first)]
    }

    #[inline]
    pub fn days(&self, year: i16, month: u8) -> Set {
        self.of_kind(first_weekday(year, month), length_of(year, month))
    }
}

fn length_of(year: i16, month: u8) -> u8 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Of the first day of a month, by Sakamoto's table: the days that the months before add up to,
/// with the leap day counted into the year in which it has passed.
fn first_weekday(year: i16, month: u8) -> u8 {
    const SHIFTS: [i32; 12] = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];
    let year = i32::from(year) - i32::from(month < 3);
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let shift = SHIFTS[usize::from(month - 1)];
    (year + leap_days + shift + 1).rem_euclid(7) as u8
}

impl DaysOfMonth {
    pub fn all() -> Self {
        Self { plain: Set::range(1, 31), ..Self::default() }
    }

    fn mask(&self, first: u8, length: u8) -> Set {
        let mut mask = self.plain;
        for day in self.nearest.iter() {
            if day <= length {
                mask.insert(nearest_weekday(day, first, length));
            }
        }
        if let Some(before) = self.before_last
            && before < length
        {
            mask.insert(length - before);
        }
        if let Some(before) = self.nearest_before_last
            && before < length
        {
            mask.insert(nearest_weekday(length - before, first, length));
        }
        mask
    }
}

impl DaysOfWeek {
    pub fn all() -> Self {
        Self { plain: Set::range(0, 6), ..Self::default() }
    }

    fn mask(&self, first: u8, length: u8) -> Set {
        let mut mask = spread(self.plain, first);
        for (week, weekdays) in self.nth.iter().enumerate() {
            if !weekdays.is_empty() {
                let begin = week as u8 * 7 + 1;
                mask =
                    mask.union(spread(*weekdays, first).intersection(Set::range(begin, begin + 6)));
            }
        }
        if !self.last.is_empty() {
            let last_week = Set::range(length - 6, length);
            mask = mask.union(spread(self.last, first).intersection(last_week));
        }
        mask
    }
}

/// The days of a month, from 1, that are one of these weekdays.
fn spread(weekdays: Set, first: u8) -> Set {
    if weekdays == Set::range(0, 6) {
        return Set::range(1, 31);
    }
    const EVERY_WEEK: u64 = 1 | 1 << 7 | 1 << 14 | 1 << 21 | 1 << 28;
    let mut week = 0;
    for day in 0..7 {
        if weekdays.contains((first + day) % 7) {
            week |= 1 << day;
        }
    }
    Set::from_bits((week * EVERY_WEEK) << 1)
}

/// The weekday next to `day` in the same month.
fn nearest_weekday(day: u8, first: u8, length: u8) -> u8 {
    match (first + day - 1) % 7 {
        SATURDAY if day == 1 => 3,
        SATURDAY => day - 1,
        SUNDAY if day == length => day - 2,
        SUNDAY => day + 1,
        _ => day,
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::Date;

    use super::*;

    #[test]
    fn months_begin_and_end_as_the_calendar_says() {
        for year in -4..2_500 {
            for month in 1..=12 {
                let first = Date::constant(year, month, 1);
                let weekday = first.weekday().to_sunday_zero_offset() as u8;
                assert_eq!(first_weekday(year, month as u8), weekday, "{first}");
                assert_eq!(length_of(year, month as u8), first.days_in_month() as u8, "{first}");
            }
        }
    }
}
