//! Cron in two dialects, which agree on what a set of times means and differ in how it is written
//! and in what happens around a change of the clock.

mod days;
mod local;
mod names;
mod quartz;
mod set;
mod spring;
mod times;
mod word;
mod years;
mod zoned;

pub use times::Cron;
