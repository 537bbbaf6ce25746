//! Timer texts: when is a timer due, and when again.
//!
//! A [`Schedule`] is read once from the text of a model: an ISO 8601 date, duration or repetition,
//! or a cron expression, in the dialect of one of the compatible engines. It has no clock: the
//! moment and the zone come in with every question. The firings of a repetition are counted from
//! its anchor, so they do not drift and the end of a month stays the end of a month.
//!
//! The text is untrusted: any text gives a schedule or an error with a position, and any question
//! is answered in bounded time, also where the answer is "never".
//!
//! ```
//! use jiff::tz::TimeZone;
//! use orloj_timer::{Dialect, Kind, Schedule};
//! use orloj_types::Timestamp;
//!
//! let text = "R3/2030-01-31T09:00:00+01:00[Europe/Prague]/P1M";
//! let schedule = Schedule::parse(Dialect::Zeebe, Kind::Cycle, text)?;
//! let now = Timestamp::from_ms(1_893_456_000_000);
//! let days: Vec<String> =
//!     schedule.firings(now, TimeZone::UTC).map(|at| at.to_string()).collect();
//! assert_eq!(days[1], "2030-02-28T08:00:00.000Z");
//! assert_eq!(days[2], "2030-03-31T07:00:00.000Z");
//! # Ok::<(), orloj_timer::ParseError>(())
//! ```

mod calendar;
mod cron;
mod cursor;
mod date;
mod dialect;
mod error;
mod period;
mod repeat;
mod retry;
mod schedule;
mod zone;

pub use cron::Cron;
pub use date::Moment;
pub use dialect::{Dialect, Kind};
pub use error::ParseError;
pub use period::Period;
pub use retry::{RetryError, RetryPlan, TRIES_MAX, WAITS_MAX, Wait};
pub use schedule::{Firing, Firings, Schedule, TEXT_BYTES_MAX};
pub use zone::zone;
