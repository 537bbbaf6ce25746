//! Orloj: durable BPMN processes and jobs inside an application.
//!
//! [`Orloj::builder`] puts an engine together, [`Orloj::group`] several on one database. The guide
//! `docs/guides/embed.md` shows each part at work.
//!
//! ```
//! use std::time::Duration;
//! use orloj::types::Timestamp;
//! use orloj::{Deploy, InstanceState, Orloj, StartInstance};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), orloj::Error> {
//! let orloj = Orloj::builder()
//!     .executor(true)
//!     .pinned_clock(Timestamp::from_ms(1_900_000_000_000))
//!     .build()
//!     .await?;
//! let model = br#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
//!   xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="n">
//!   <process id="reminder" isExecutable="true">
//!     <startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="wait"/>
//!     <intermediateCatchEvent id="wait">
//!       <timerEventDefinition><timeDuration>P1D</timeDuration></timerEventDefinition>
//!     </intermediateCatchEvent>
//!     <sequenceFlow id="g" sourceRef="wait" targetRef="e"/><endEvent id="e"/>
//!   </process></definitions>"#;
//! orloj.deploy(Deploy::file("reminder.bpmn", model)).await?;
//! let reminder = orloj.start(StartInstance::latest("reminder")).await?.instance;
//! orloj.advance(Duration::from_secs(86_400))?;
//! orloj.settle().await;
//! assert_eq!(orloj.instance(reminder).await?.view.state, InstanceState::Completed);
//! orloj.shutdown().await;
//! # Ok(()) }
//! ```

pub mod api;
mod assets;
mod batches;
mod builder;
pub mod calls;
mod clean_up;
mod clock;
mod codec;
mod configurator;
mod decision_file;
mod decisions;
mod definition;
mod definition_cache;
mod definitions;
mod deploy;
mod deployed_jobs;
mod driver;
mod embedding;
mod evaluate;
mod events;
mod executor;
mod explain;
mod group;
mod handle;
pub mod history;
mod job_rows;
mod manage;
mod meters;
mod metrics;
pub mod node;
mod own_executor;
mod pool;
mod query_limit;
mod reading;
mod reads;
mod remedy;
mod start_conditions;
mod together;

pub use api::*;
pub use batches::{
    BATCH_ELEMENTS_MAX, BatchElements, BatchStatistics, BatchView, Batches, NewBatch,
};
pub use builder::{Builder, StoreChoice};
pub use clock::Clock;
#[doc(hidden)]
pub use codec::{decode as decode_record, encode as encode_record, large_variables, page_writes};
pub use configurator::Configurator;
pub use definition::Definition;
pub use definition_cache::{BoundedCache, DefinitionCache};
pub use executor::ExecutorHandle;
pub use group::{GroupBuilder, OrlojGroup};
pub use handle::{JobStream, Orloj};
pub use jiff::tz::TimeZone;
pub use manage::*;
pub use meters::MeterLog;
pub use metrics::Metrics;
pub use node::chores::{BatchWork, Modification, Suspension, SuspensionOf, refused_batch};
pub use node::{
    BreakerReport, ExecutorOptions, ExecutorReport, GivenUp, Looks, RunningJob, SetAside,
    UntakenJobs,
};
pub use orloj_dmn::{LogicKind, TableRecord};
pub use orloj_executor::{
    BackoffOptions, BreakerOptions, BreakerRules, FailureRatio, LongestRun, Meter, Meters, Waits,
};
pub use orloj_interpreter::{
    AdHocResult, Corrections, FailedTry, GrowingWait, JobResult, JobState as RejectedJobState,
    MoveFrom, MoveInside, Rejection, Retry, RetryPolicy, UserTaskResult,
};
pub use orloj_model as model;
pub use orloj_model::{Diagnostic, Dialect, Position, Severity};
pub use orloj_script as script;
pub use orloj_settings as settings;
pub use orloj_store as store;
pub use orloj_store::{
    DefinitionFilter, IncidentFilter, JobFilter, JobKind, JobState, Order, PAGE_ROWS_MAX, Page,
    Parameter, Statement, UserTaskFilter,
};
pub use orloj_types as types;
pub use own_executor::{AtOnce, Executor, Offer, OfferedJob};
pub use pool::{Pool, Spawn};
pub use remedy::Remedy;

/// The examples of the guide.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/embed.md")]
struct Guide;
