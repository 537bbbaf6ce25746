use jiff::civil::{Date, DateTime, ISOWeekDate, Time, Weekday};
use jiff::tz::{Offset, TimeZone};
use orloj_types::Timestamp;

use crate::calendar;
use crate::cursor::Cursor;
use crate::dialect::Dialect;
use crate::error::ParseError;
use crate::period::to_ms;
use crate::zone;

/// A date and time as written: with an offset it is a moment, without one it waits for a zone.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    local: DateTime,
    offset: Option<Offset>,
    zone: Option<TimeZone>,
    dialect: Dialect,
}

impl Moment {
    /// `None` where the clock of the zone leaves this time out and the dialect refuses it.
    pub fn in_zone(&self, zone: &TimeZone) -> Option<Timestamp> {
        match self.offset {
            Some(offset) => calendar::at_offset(self.local, offset),
            None => calendar::moment(self.dialect, self.local, zone),
        }
    }

    /// The zone in brackets, else that of the offset.
    pub(crate) fn own_zone(&self) -> Option<TimeZone> {
        self.zone.clone().or_else(|| self.offset.map(Offset::to_time_zone))
    }

    pub(crate) fn parse(dialect: Dialect, text: &str, base: usize) -> Result<Self, ParseError> {
        let mut reader = Reader { cursor: Cursor::new(text, base), dialect };
        let moment = reader.whole()?;
        if !reader.cursor.is_done() {
            return Err(reader.cursor.wrong("the end of the date"));
        }
        Ok(moment)
    }
}

/// Zeebe reads dates with time and offset, and a zone in brackets. Camunda and Flowable may leave
/// out parts from the right; Camunda also knows weeks and days of the year, small letters and
/// numbers without leading zeros, Flowable takes the 31st of any month as its last day.
struct Reader<'a> {
    cursor: Cursor<'a>,
    dialect: Dialect,
}

impl Reader<'_> {
    fn whole(&mut self) -> Result<Moment, ParseError> {
        let start = self.cursor.offset();
        let date = if self.is_camunda() && matches!(self.cursor.peek(), Some(b'T' | b't')) {
            Date::constant(1970, 1, 1)
        } else {
            self.date()?
        };
        let mut moment =
            Moment { local: date.into(), offset: None, zone: None, dialect: self.dialect };
        if self.letter(b'T') {
            moment.local = self.time(date)?;
            moment.offset = self.offset()?;
        }
        if self.dialect == Dialect::Zeebe {
            if moment.offset.is_none() {
                return Err(self.cursor.wrong("an offset such as Z or +01:00"));
            }
            moment.zone = self.bracketed()?;
        }
        if let Some(offset) = moment.offset
            && calendar::at_offset(moment.local, offset).is_none()
        {
            return Err(ParseError::new("the date is beyond the calendar", start));
        }
        Ok(moment)
    }

    fn date(&mut self) -> Result<Date, ParseError> {
        let start = self.cursor.offset();
        let is_negative = self.cursor.peek() == Some(b'-');
        let signs: &[u8] = if self.is_camunda() { b"+-" } else { b"-" };
        self.cursor.take(signs);
        let digits = self.cursor.digits();
        let years = if self.is_camunda() { 1..=9 } else { 4..=9 };
        if !years.contains(&digits.len()) {
            return Err(ParseError::new("expected a date such as 2030-01-31", start));
        }
        let year: i32 = digits.parse().unwrap_or(i32::MAX);
        let year = i16::try_from(if is_negative { -year } else { year })
            .map_err(|_| ParseError::new("the date is beyond the calendar", start))?;
        let must_be_whole = self.dialect == Dialect::Zeebe;
        let (mut month, mut day) = (1, 1);
        if self.dash(must_be_whole)? {
            if self.is_camunda() && self.cursor.take(b"Ww").is_some() {
                return self.week(year, start);
            }
            let digits = self.cursor.digits();
            if self.is_camunda() && digits.len() == 3 {
                return day_of_year(year, digits)
                    .ok_or_else(|| ParseError::new("there is no such day of the year", start));
            }
            month = self.small(digits, 12)?;
            if self.dash(must_be_whole)? {
                let digits = self.cursor.digits();
                day = self.small(digits, 31)?;
            }
        }
        let outside = || ParseError::new("there is no such day", start);
        let date = |day: i64| Date::new(year, month as i8, day as i8).map_err(|_| outside());
        if self.dialect == Dialect::Flowable {
            day = day.min(i64::from(date(1)?.days_in_month()));
        }
        date(day)
    }

    fn week(&mut self, year: i16, start: usize) -> Result<Date, ParseError> {
        let digits = self.cursor.digits();
        let week = self.small(digits, 53)? as i8;
        let mut day = 1;
        if self.dash(false)? {
            let digits = self.cursor.digits();
            day = self.small(digits, 7)? as i8;
        }
        let weekday = Weekday::from_monday_one_offset(day).unwrap_or(Weekday::Monday);
        match ISOWeekDate::new(year, week, weekday) {
            Ok(week) => Ok(week.date()),
            Err(_) => Err(ParseError::new("there is no such week", start)),
        }
    }

    fn time(&mut self, date: Date) -> Result<DateTime, ParseError> {
        let start = self.cursor.offset();
        let may_omit = self.dialect != Dialect::Zeebe;
        if self.is_camunda() && !matches!(self.cursor.peek(), Some(b'0'..=b'9')) {
            return Ok(date.into());
        }
        let mut unit_ms = 3_600_000;
        let mut parts = [0; 3];
        let mut fraction_ms = 0;
        for (place, part) in parts.iter_mut().enumerate() {
            let digits = self.cursor.digits();
            *part = self.clock_part(digits, if place == 0 { 24 } else { 59 })?;
            let is_last = place == 2;
            if is_last || self.is_camunda() {
                let point: &[u8] = if self.is_camunda() { b".," } else { b"." };
                if self.cursor.take(point).is_some() {
                    let digits = self.cursor.digits();
                    fraction_ms = if is_last { to_ms(digits) } else { share(digits, unit_ms) };
                    break;
                }
            }
            unit_ms /= 60;
            if is_last || self.cursor.peek() != Some(b':') {
                if place == 0 && !may_omit {
                    return Err(self.cursor.wrong("':'"));
                }
                break;
            }
            self.cursor.take(b":");
        }
        let [hour, minute, second] = parts;
        let outside = || ParseError::new("there is no such time of day", start);
        if hour == 24 {
            // The end of the day is the next day's begin.
            let is_end = self.dialect == Dialect::Flowable && minute + second + fraction_ms == 0;
            return match date.tomorrow() {
                Ok(next) if is_end => Ok(next.into()),
                _ => Err(outside()),
            };
        }
        let ms = ((hour * 60 + minute) * 60 + second) * 1_000 + fraction_ms;
        let time = Time::midnight()
            .checked_add(jiff::SignedDuration::from_millis(ms))
            .map_err(|_| outside())?;
        Ok(date.to_datetime(time))
    }

    fn offset(&mut self) -> Result<Option<Offset>, ParseError> {
        if self.letter(b'Z') {
            return Ok(Some(Offset::UTC));
        }
        let rest = self.cursor.rest();
        if !rest.starts_with(['+', '-']) {
            return Ok(None);
        }
        let signed = {
            let mut ahead = self.cursor;
            ahead.take(b"+-");
            let length = 1 + ahead.take_while(|byte| byte.is_ascii_digit() || *byte == b':').len();
            &rest[..length]
        };
        let is_known = match signed.len() {
            3 | 6 | 9 => true,
            5 => self.is_camunda(),
            _ => false,
        };
        match zone::fixed(signed).filter(|_| is_known) {
            Some(offset) => {
                self.cursor.take(b"+-");
                self.cursor.take_while(|byte| byte.is_ascii_digit() || *byte == b':');
                Ok(Some(offset))
            }
            None => Err(self.cursor.wrong("an offset such as +01:00")),
        }
    }

    fn bracketed(&mut self) -> Result<Option<TimeZone>, ParseError> {
        let Some(inner) = self.cursor.rest().strip_prefix('[') else { return Ok(None) };
        let start = self.cursor.offset();
        let found = inner.strip_suffix(']').and_then(zone::zone);
        let Some(found) = found else {
            return Err(ParseError::new("there is no such time zone", start + 1));
        };
        self.cursor = Cursor::new("", start + inner.len() + 1);
        Ok(Some(found))
    }

    fn dash(&mut self, needed: bool) -> Result<bool, ParseError> {
        match self.cursor.take(b"-") {
            Some(_) => Ok(true),
            None if needed => Err(self.cursor.wrong("'-'")),
            None => Ok(false),
        }
    }

    fn letter(&mut self, capital: u8) -> bool {
        let small = capital.to_ascii_lowercase();
        let known = [capital, if self.dialect == Dialect::Flowable { capital } else { small }];
        self.cursor.take(&known).is_some()
    }

    /// From 1 to `max`.
    fn small(&self, digits: &str, max: i64) -> Result<i64, ParseError> {
        self.two_digits(digits)
            .filter(|number| (1..=max).contains(number))
            .ok_or_else(|| self.cursor.wrong(&format!("a number from 1 to {max} before this")))
    }

    fn clock_part(&self, digits: &str, max: i64) -> Result<i64, ParseError> {
        self.two_digits(digits)
            .filter(|number| (0..=max).contains(number))
            .ok_or_else(|| self.cursor.wrong("two digits of a time before this"))
    }

    fn two_digits(&self, digits: &str) -> Option<i64> {
        let lengths = if self.is_camunda() { 1..=2 } else { 2..=2 };
        // Days of a week have one digit everywhere; only Camunda reads them.
        lengths.contains(&digits.len()).then(|| digits.parse().ok())?
    }

    fn is_camunda(&self) -> bool {
        self.dialect == Dialect::Camunda7
    }
}

fn day_of_year(year: i16, digits: &str) -> Option<Date> {
    let day: i16 = digits.parse().ok()?;
    Date::new(year, 1, 1).ok()?.with().day_of_year(day).build().ok()
}

/// That fraction of a unit, in milliseconds.
fn share(digits: &str, unit_ms: i64) -> i64 {
    const DIGITS_MAX: usize = 9;
    let digits = &digits[..digits.len().min(DIGITS_MAX)];
    let scale = 10_i64.pow(digits.len() as u32);
    digits.parse::<i64>().unwrap_or(0) * unit_ms / scale
}
