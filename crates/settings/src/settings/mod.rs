//! The knobs as the engine sees them.

mod batches;
mod cleanup;
mod executor;
mod history;
mod jobs;
mod limits;
mod others;
mod profile;

use std::collections::BTreeMap;

pub use batches::BatchSettings;
pub use cleanup::{CleanupSettings, CleanupStrategy, TimeOfDay, Window};
pub use executor::{AcquisitionSettings, ExecutorSettings, RejectedJobs};
pub use history::{HistoryLevel, HistorySettings, RemovalTime, Ttl};
pub use jobs::JobSettings;
pub use limits::{BreakerSettings, LimitScope, LimitSettings};
pub use others::{
    IdGenerator, IdSettings, MetricsSettings, ModelSettings, OperationSettings, RowSettings,
};
pub use profile::Profile;

use crate::value::Table;

/// The acquisition that an engine joins unless it names another.
pub const DEFAULT_ACQUISITION: &str = "default";

/// Everything an engine can be told. `Settings::default()` are Orloj's own defaults;
/// [`Settings::of`] those of a profile.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Whose defaults hold where nothing was written.
    pub profile: Profile,
    pub executor: ExecutorSettings,
    /// The acquisition called `default`.
    pub acquisition: AcquisitionSettings,
    /// Further acquisitions by name, complete: what a file leaves out is taken from `acquisition`.
    pub acquisitions: BTreeMap<String, AcquisitionSettings>,
    pub jobs: JobSettings,
    pub history: HistorySettings,
    pub batches: BatchSettings,
    pub metrics: MetricsSettings,
    pub operations: OperationSettings,
    pub ids: IdSettings,
    pub model: ModelSettings,
    pub rows: RowSettings,
    /// Written to the store when it knows no limit of that scope and name yet.
    pub limits: Vec<LimitSettings>,
    pub breakers: Vec<BreakerSettings>,
    /// What a foreign configuration says of scripts, by the names of the `[scripting]` table.
    pub scripting: Table,
    /// Further engines by name, complete: what a file leaves out is taken from here. They have no
    /// engines of their own.
    pub engines: BTreeMap<String, Settings>,
}

impl Settings {
    /// The acquisition that this engine joins.
    pub fn joined(&self) -> &AcquisitionSettings {
        self.acquisitions.get(&self.executor.acquisition).unwrap_or(&self.acquisition)
    }
}
