use crate::cursor::Cursor;
use crate::dialect::Dialect;
use crate::error::ParseError;

/// An ISO 8601 duration. A month is a month and a day is a day of the calendar, so what they come
/// to is known only together with a moment and a zone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Period {
    pub years: i64,
    pub months: i64,
    pub days: i64,
    pub hours: i64,
    pub minutes: i64,
    pub seconds: i64,
    pub ms: i64,
}

/// Longest number: beyond the calendar in any unit but the smallest, and no product of two of
/// them leaves 128 bits.
const DIGITS_MAX: usize = 15;
const DAYS_PER_WEEK: i64 = 7;

impl Period {
    pub fn of_ms(ms: i64) -> Self {
        Self { ms, ..Self::default() }
    }

    /// `None` when a number does not fit any more, which is beyond the calendar.
    pub(crate) fn times(&self, count: i64) -> Option<Self> {
        Some(Self {
            years: self.years.checked_mul(count)?,
            months: self.months.checked_mul(count)?,
            days: self.days.checked_mul(count)?,
            hours: self.hours.checked_mul(count)?,
            minutes: self.minutes.checked_mul(count)?,
            seconds: self.seconds.checked_mul(count)?,
            ms: self.ms.checked_mul(count)?,
        })
    }

    /// The part of fixed length.
    pub(crate) fn exact_ms(&self) -> Option<i64> {
        let minutes = self.hours.checked_mul(60)?.checked_add(self.minutes)?;
        let seconds = minutes.checked_mul(60)?.checked_add(self.seconds)?;
        seconds.checked_mul(1_000)?.checked_add(self.ms)
    }

    pub(crate) fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    /// Whether `text` can only be meant as a duration.
    pub(crate) fn begins(text: &str) -> bool {
        text.trim_start_matches(['+', '-']).starts_with('P')
    }

    /// Rules of `dialect`: Zeebe takes signs, weeks beside other units, small letters and decimal
    /// commas, Camunda takes weeks alone, Flowable none and drops fractions of a second.
    pub(crate) fn parse(dialect: Dialect, text: &str, base: usize) -> Result<Self, ParseError> {
        let rules = match dialect {
            Dialect::Camunda7 => Rules { signs: false, weeks: Weeks::Alone, fractions: true },
            Dialect::Flowable => Rules { signs: false, weeks: Weeks::Never, fractions: false },
            Dialect::Zeebe => Rules { signs: true, weeks: Weeks::Mixed, fractions: true },
        };
        Reader { cursor: Cursor::new(text, base), rules }.whole()
    }

    /// Where a date is expected a duration may stand, with weeks in all dialects.
    pub(crate) fn parse_as_date(text: &str, base: usize) -> Result<Self, ParseError> {
        let rules = Rules { signs: false, weeks: Weeks::Mixed, fractions: true };
        Reader { cursor: Cursor::new(text, base), rules }.whole()
    }
}

#[derive(Clone, Copy)]
struct Rules {
    /// Also small letters and decimal commas.
    signs: bool,
    weeks: Weeks,
    fractions: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Weeks {
    Never,
    Alone,
    Mixed,
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    rules: Rules,
}

impl Reader<'_> {
    fn whole(mut self) -> Result<Period, ParseError> {
        let sign = self.sign();
        if self.cursor.take(b"P").is_none() {
            return Err(self.cursor.wrong("a duration such as PT10M or P1D"));
        }
        let mut period = Period::default();
        let mut found = 0;
        // Units come in this order, each at most once.
        let mut units = &b"YMWD"[..];
        let mut in_time = false;
        while !self.cursor.is_done() {
            if !in_time && self.cursor.take(b"T").is_some() {
                in_time = true;
                units = b"HMS";
                if self.cursor.is_done() {
                    return Err(self.cursor.wrong("a number"));
                }
                continue;
            }
            let (number, fraction_ms) = self.number()?;
            let at = self.cursor.offset();
            let Some(unit) = self.cursor.peek().map(|byte| self.capital(byte)) else {
                return Err(self.cursor.wrong("a unit of time"));
            };
            let Some(place) = units.iter().position(|known| *known == unit) else {
                return Err(self.cursor.wrong("a unit of time in its order"));
            };
            units = &units[place + 1..];
            self.cursor.take(&[unit, unit.to_ascii_lowercase()]);
            if fraction_ms.is_some() && !(in_time && unit == b'S') {
                return Err(ParseError::new("only seconds may have a fraction", at));
            }
            found += 1;
            match (in_time, unit) {
                (false, b'Y') => period.years = number,
                (false, b'M') => period.months = number,
                (false, b'W') => {
                    self.check_weeks(found, at)?;
                    period.days = number * DAYS_PER_WEEK;
                }
                (false, _) => period.days += number,
                (true, b'H') => period.hours = number,
                (true, b'M') => period.minutes = number,
                (true, _) => {
                    period.seconds = number;
                    period.ms = fraction_ms.unwrap_or(0);
                }
            }
        }
        if found == 0 {
            return Err(self.cursor.wrong("a number"));
        }
        Ok(period.times(sign).unwrap_or(period))
    }

    fn check_weeks(&self, found: usize, at: usize) -> Result<(), ParseError> {
        let fits = match self.rules.weeks {
            Weeks::Never => false,
            Weeks::Alone => found == 1 && self.cursor.is_done(),
            Weeks::Mixed => true,
        };
        if fits { Ok(()) } else { Err(ParseError::new("weeks are not taken here", at)) }
    }

    fn capital(&self, unit: u8) -> u8 {
        if self.rules.signs { unit.to_ascii_uppercase() } else { unit }
    }

    fn sign(&mut self) -> i64 {
        if !self.rules.signs {
            return 1;
        }
        match self.cursor.take(b"+-") {
            Some(b'-') => -1,
            _ => 1,
        }
    }

    /// A number and the milliseconds of its fraction.
    fn number(&mut self) -> Result<(i64, Option<i64>), ParseError> {
        let sign = self.sign();
        let digits = self.cursor.digits();
        let point: &[u8] = if self.rules.signs { b".," } else { b"." };
        let fraction = self.cursor.take(point).map(|_| self.cursor.digits());
        let is_bare = digits.is_empty() && (self.rules.signs || fraction.is_none_or(str::is_empty));
        if is_bare {
            return Err(self.cursor.wrong("a number"));
        }
        if digits.len() > DIGITS_MAX {
            return Err(ParseError::new("the number is too large", self.cursor.offset()));
        }
        let number: i64 = digits.parse().unwrap_or(0);
        let ms = fraction.map(|digits| if self.rules.fractions { sign * to_ms(digits) } else { 0 });
        Ok((sign * number, ms))
    }
}

/// Milliseconds of the digits behind a decimal point; smaller parts are dropped.
pub(crate) fn to_ms(fraction: &str) -> i64 {
    let mut digits = fraction.bytes().map(|byte| i64::from(byte - b'0')).chain([0; 3]);
    (0..3).fold(0, |sum, _| sum * 10 + digits.next().unwrap_or(0))
}
