//! What operators do, by noun. A noun is a handle: it has queries, and verbs for one thing or for
//! many. Every change is logged in the same transaction where it concerns an instance or a chore,
//! and wakes the executors of all nodes.

mod activation;
mod batch;
mod bulk;
mod bulk_log;
mod chore;
mod definitions;
mod deployments;
mod desk;
mod incidents;
mod instances;
mod job_action;
mod job_definition_of;
mod job_definitions;
mod job_set;
mod jobs;
mod limits;
mod nodes;
mod operation;
mod restart;

pub use bulk::{Bulk, BulkReport, ItemError, Portion, PortionReport, Progress};
pub use definitions::{Definitions, SuspendDefinition, Suspended, WhichDefinitions};
pub use deployments::{DeploymentView, Deployments};
pub use incidents::{Incidents, NewIncident, WhichIncidents};
pub use instances::{InstanceAction, InstanceQuery, InstanceScope, Instances};
pub use job_action::{JobAction, Reschedule};
pub use job_definitions::{
    JobDefinitionAction, JobDefinitionScope, JobDefinitionView, JobDefinitions, SuspendJobs,
    WhichJobDefinitions,
};
pub use job_set::{JobScope, JobSet};
pub use jobs::Jobs;
pub use limits::{LimitView, Limits};
pub use nodes::Nodes;
pub use restart::Restart;

pub(crate) use desk::Desk;
pub(crate) use job_definition_of::{definition_of, is_of};
pub(crate) use limits::holders as holders_of;
pub(crate) use operation::Entry;
