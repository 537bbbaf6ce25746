use super::history::Ttl;
use crate::setting::{Setting, words};
use crate::value::Value;

/// When and how ended instances are removed.
#[derive(Clone, Debug, PartialEq)]
pub struct CleanupSettings {
    pub enabled: bool,
    /// Every day that has no window of its own. Without any window, clean-up runs when asked.
    pub window: Window,
    pub monday: Window,
    pub tuesday: Window,
    pub wednesday: Window,
    pub thursday: Window,
    pub friday: Window,
    pub saturday: Window,
    pub sunday: Window,
    /// A cron expression (Quartz) that starts clean-up, as Flowable has it, instead of windows.
    pub cycle: Option<String>,
    pub parallelism: u32,
    /// Instances removed by one transaction.
    pub batch_size: u32,
    /// Fewer removable instances than this are left for later; by end time only.
    pub threshold: u32,
    pub strategy: CleanupStrategy,
    /// Priority of clean-up jobs.
    pub priority: i64,
    /// `None`: as all jobs.
    pub retries: Option<u32>,
    /// How long the job log of clean-up jobs is kept.
    pub job_log_ttl: Option<Ttl>,
    /// Whether removed rows are counted.
    pub metrics: bool,
}

impl Default for CleanupSettings {
    fn default() -> Self {
        let window = Window::default();
        Self {
            enabled: true,
            window,
            monday: window,
            tuesday: window,
            wednesday: window,
            thursday: window,
            friday: window,
            saturday: window,
            sunday: window,
            cycle: None,
            parallelism: 1,
            batch_size: 500,
            threshold: 10,
            strategy: CleanupStrategy::RemovalTime,
            priority: 0,
            retries: None,
            job_log_ttl: None,
            metrics: true,
        }
    }
}

impl CleanupSettings {
    /// The windows of the week from Monday on; `None`: no clean-up that day.
    pub fn week(&self) -> [Option<(TimeOfDay, TimeOfDay)>; 7] {
        let days = [
            self.monday,
            self.tuesday,
            self.wednesday,
            self.thursday,
            self.friday,
            self.saturday,
            self.sunday,
        ];
        days.map(|day| {
            let window = if day.start.is_some() { day } else { self.window };
            Some((window.start?, window.end.unwrap_or(TimeOfDay::MIDNIGHT)))
        })
    }
}

/// From `start` until `end`, on the next day when that is not later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    pub start: Option<TimeOfDay>,
    /// `None`: midnight.
    pub end: Option<TimeOfDay>,
}

/// `HH:MM`, with an offset from UTC if one was written (`22:00+0100`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeOfDay {
    pub minute: u16,
    /// `None`: the time of the node's place.
    pub offset_minutes: Option<i16>,
}

impl TimeOfDay {
    pub const MIDNIGHT: Self = Self { minute: 0, offset_minutes: None };
}

impl Setting for TimeOfDay {
    fn expected() -> String {
        "a time such as 22:30 or 22:30+0100".to_owned()
    }

    fn from_value(value: &Value) -> Option<Self> {
        let Value::Text(text) = value else { return None };
        let text = text.trim();
        let (time, offset) = match text.find(['+', '-', 'Z']) {
            Some(at) => (&text[..at], Some(&text[at..])),
            None => (text, None),
        };
        let (hour, minute) = time.split_once(':')?;
        let minute = two_digits(hour, 23)? * 60 + two_digits(minute, 59)?;
        let offset_minutes = match offset {
            None => None,
            Some("Z") => Some(0),
            Some(offset) => {
                let digits = offset[1..].replace(':', "");
                let (hours, minutes) = digits.split_at_checked(2)?;
                let minutes = if minutes.is_empty() { 0 } else { two_digits(minutes, 59)? };
                let offset_abs =
                    i16::try_from(two_digits(hours, 18)? * 60 + minutes).expect("below a day");
                Some(if offset.starts_with('-') { -offset_abs } else { offset_abs })
            }
        };
        Some(Self { minute, offset_minutes })
    }

    fn to_value(&self) -> Value {
        let mut text = format!("{:02}:{:02}", self.minute / 60, self.minute % 60);
        if let Some(offset) = self.offset_minutes {
            let sign = if offset < 0 { '-' } else { '+' };
            let offset = offset.unsigned_abs();
            text.push_str(&format!("{sign}{:02}{:02}", offset / 60, offset % 60));
        }
        Value::text(text)
    }
}

fn two_digits(text: &str, max: u16) -> Option<u16> {
    let is_digits = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    let number = is_digits.then(|| text.parse().ok()).flatten()?;
    (number <= max).then_some(number)
}

/// How removable instances are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CleanupStrategy {
    /// By the time of removal that each row carries.
    #[default]
    RemovalTime,
    /// By the end of the instance and the time to live of its definition now.
    EndTime,
}

words!(CleanupStrategy { RemovalTime = "removal-time", EndTime = "end-time" });

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Option<TimeOfDay> {
        TimeOfDay::from_value(&Value::text(text))
    }

    #[test]
    fn times_of_day() {
        assert_eq!(time("22:30").unwrap().minute, 1350);
        assert_eq!(time("22:30+0130").unwrap().offset_minutes, Some(90));
        assert_eq!(time("22:30-02:00").unwrap().offset_minutes, Some(-120));
        assert_eq!(time("2:05Z").unwrap().offset_minutes, Some(0));
        assert_eq!(time("22:30-0200").unwrap().to_value(), Value::text("22:30-0200"));
        for bad in ["", "22", "24:00", "12:60", "12:5x", "12:00+", "12:00+é1", "é:00", "12:00+19"]
        {
            assert_eq!(time(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_weekday_beats_the_daily_window() {
        let mut cleanup = CleanupSettings::default();
        assert_eq!(cleanup.week(), [None; 7]);
        cleanup.window = Window { start: time("20:00"), end: None };
        cleanup.sunday = Window { start: time("01:00"), end: time("05:00") };
        let week = cleanup.week();
        assert_eq!(week[0], Some((time("20:00").unwrap(), TimeOfDay::MIDNIGHT)));
        assert_eq!(week[6], Some((time("01:00").unwrap(), time("05:00").unwrap())));
    }
}
