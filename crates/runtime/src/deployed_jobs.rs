//! What a definition brings into the store beside itself: the jobs it declares, its start timers,
//! and what activates it later.

use orloj_interpreter::{JobSettings, StartTrigger, StartWait};
use orloj_model::Process;
use orloj_store::{JobRow, JobState, NewJobDefinition};
use orloj_types::{DefinitionKey, EngineName, JobDefinitionKey, JobKey, TenantId, Timestamp};

use crate::node::chores::{
    LaterSuspension, NewStartTimer, Suspension, SuspensionOf, start_timer_chore, suspension_chore,
};

/// Keys of its own that the process needs: at most one for each start event and job definition.
pub(crate) fn keys_of(process: &Process) -> usize {
    process.root.starts.len() + process.job_definitions().len()
}

/// `suspended`: with their definition.
pub(crate) fn job_definitions_of(
    process: &Process,
    suspended: bool,
    mut key: impl FnMut() -> i64,
) -> Vec<NewJobDefinition> {
    let declared = process.job_definitions().into_iter();
    let rows = declared.map(|declared| NewJobDefinition {
        key: JobDefinitionKey::new(key()),
        element: (&*declared.element).into(),
        kind: declared.handler.word().into(),
        configuration: declared.configuration,
        suspended,
    });
    rows.collect()
}

/// Whose start timers they are.
pub(crate) struct Owner<'a> {
    pub engine: &'a EngineName,
    pub tenant: &'a TenantId,
    pub definition: DefinitionKey,
}

pub(crate) fn start_timers_of(
    process: &Process,
    waits: &[StartWait],
    owner: &Owner<'_>,
    settings: &JobSettings,
    now: Timestamp,
    mut key: impl FnMut() -> i64,
) -> Vec<JobRow> {
    let timers = waits.iter().filter_map(|StartWait { event, trigger }| {
        let StartTrigger::Timer { due_at, repeat } = trigger else { return None };
        let Owner { engine, tenant, definition } = *owner;
        let job = orloj_interpreter::start_job(process, event, definition, settings, now);
        Some(start_timer_chore(&NewStartTimer {
            key: JobKey::new(key()),
            engine,
            tenant,
            definition,
            event,
            due_at: *due_at,
            repeat: repeat.as_ref(),
            job,
            now,
        }))
    });
    timers.collect()
}

/// The start timers of a definition that is suspended wait until it is activated.
pub(crate) fn suspend_timers(chores: &mut [JobRow]) {
    for chore in chores {
        chore.state = JobState::Suspended;
    }
}

/// When a definition that comes suspended is activated, and how often that is tried.
#[derive(Clone, Copy)]
pub(crate) struct Activation {
    pub at: Timestamp,
    pub retries: u32,
}

/// The chore that does it. Instances are left alone, as Camunda and Flowable leave them: there are
/// none but those that were migrated to it meanwhile.
pub(crate) fn activation_of(
    owner: &Owner<'_>,
    activation: Activation,
    now: Timestamp,
    key: i64,
) -> JobRow {
    let Owner { engine, tenant, definition } = *owner;
    let of = SuspensionOf::definition(definition);
    suspension_chore(&LaterSuspension {
        key: JobKey::new(key),
        engine,
        tenant,
        definition,
        suspension: &Suspension { of, suspended: false, with_existing: false },
        at: activation.at,
        retries: activation.retries,
        now,
    })
}
