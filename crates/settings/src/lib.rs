//! What an engine can be told: plain structs with defaults, one table of knobs, one table of the
//! property names of Camunda 7 and Flowable, and the reader that brings them together.
//!
//! The tables are the truth: reading, profiles, messages, `docs/compat/properties.md` and the tests
//! all follow from them. Nothing here does I/O; what was written comes in as [`Value`]s.

mod check;
pub mod docs;
mod error;
mod knobs;
mod nearest;
pub mod properties;
mod read;
mod setting;
mod settings;
mod toml;
mod value;

pub use error::{Error, Note, Severity};
pub use knobs::{KNOBS, Knob};
pub use properties::{Fate, Kind, PROPERTIES, Property, System};
pub use read::{Origin, Read, Reader, read};
pub use settings::{
    AcquisitionSettings, BatchSettings, BreakerSettings, CleanupSettings, CleanupStrategy,
    DEFAULT_ACQUISITION, ExecutorSettings, HistoryLevel, HistorySettings, IdGenerator, IdSettings,
    JobSettings, LimitScope, LimitSettings, MetricsSettings, ModelSettings, OperationSettings,
    Profile, RejectedJobs, RemovalTime, RowSettings, Settings, TimeOfDay, Ttl, Window,
};
pub use toml::to_toml;
pub use value::{Table, Value};
