//! The invariants (design, section 7), judged from outside.
//!
//! | | |
//! | --- | --- |
//! | I1 | no token is lost: every element instance has a durable reason to wait, every row belongs to a record, no lock belongs to a session that is gone, and in the end everything ends |
//! | I2 | at most one completion per job takes effect, and whoever asked for it is not told that it was refused |
//! | I3 | a lock of a node with a fresh heartbeat is never given away |
//! | I5 | two exclusive jobs of one instance never both hold a live lock, whatever people do with them meanwhile, a job is completed only under its node's own lock, and never runs twice at a time |
//! | I6 | limits are never exceeded, from the moment every live node knows of them |
//! | I7 | nothing is handed over past a job that goes before it and that the node has left in the store |
//! | I8 | a timer fires not before it is due, and each occurrence once |
//! | I9 | what was acknowledged is on disk, and what is refused is refused with reason |
//! | I10 | history is only appended to |
//! | chores | each firing of a start timer starts one instance, and each element of a batch is done once |
//! | signals | whoever waited when a signal was committed has heard it when it is over, and nobody hears it twice |
//! | suspension | no instance of a suspended definition begins |
//! | tenants | whatever is left has the tenant of its definition, or of the instance that called it |
//! | calls | foreign code is called once per lock, whatever races are lost |

mod calls;
mod chores;
mod groups;
mod instance;
mod limits;
mod locks;
mod order;
mod replies;
mod signals;
mod tenants;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use orloj::node::RequestId;
use orloj_store::format::decode_variables;
use orloj_store::{BroadcastKey, EndedRow, MessageTaken};
use orloj_types::{BatchKey, DefinitionKey, JobKey, ValueTag};

use super::Library;
use super::happening::{Answered, Ask, Asked};
use super::library::TIMED_STARTS;
use crate::sim_store::Core;

pub(crate) use calls::Called;

/// An invariant that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub invariant: &'static str,
    pub message: String,
}

impl Violation {
    pub(crate) fn new(invariant: &'static str, message: impl Into<String>) -> Self {
        Self { invariant, message: message.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.invariant, self.message)
    }
}

/// What has happened so far, as far as later judgements need it.
#[derive(Debug, Default)]
pub(crate) struct Checker {
    /// Completions, failures and errors in the history, by job.
    completed: BTreeMap<JobKey, u32>,
    failed: BTreeMap<JobKey, u32>,
    threw: BTreeMap<JobKey, u32>,
    /// Those that were acknowledged.
    completed_acknowledged: BTreeMap<JobKey, u32>,
    failed_acknowledged: BTreeMap<JobKey, u32>,
    threw_acknowledged: BTreeMap<JobKey, u32>,
    /// Jobs given to workers, by attempt.
    delivered: BTreeSet<(JobKey, i32)>,
    invoked: BTreeSet<Called>,
    /// Jobs that people have suspended, resumed, delayed or buried.
    ordered: BTreeSet<JobKey>,
    /// Which process got which message.
    taken: BTreeSet<MessageTaken>,
    /// Which job stood for which occurrence of a repeating timer.
    occurrences: BTreeMap<groups::Occurrence, JobKey>,
    /// Elements of batches that are still to be done, and those that are.
    elements: BTreeSet<(BatchKey, i64)>,
    elements_done: BTreeSet<(BatchKey, i64)>,
    /// Firings of start timers, by definition.
    firings: BTreeSet<(DefinitionKey, u64)>,
    /// Signals on their way.
    signals: BTreeMap<BroadcastKey, signals::OnItsWay>,
    /// When each session last gave a sign of life.
    beats: BTreeMap<i64, i64>,
    /// When each node's clock was last set.
    jumps: BTreeMap<usize, i64>,
    settings: limits::Settings,
    left: order::Left,
}

impl Checker {
    pub fn ordered(&mut self, job: JobKey) {
        self.ordered.insert(job);
    }

    /// Everything has ended: nothing may be left, and every effect has an owner.
    pub fn end(
        &self,
        store: &Core,
        library: &Library,
        asked: &BTreeMap<RequestId, Asked>,
    ) -> Result<(), Violation> {
        let left = [
            ("subscriptions", store.subscriptions.len()),
            ("jobs", store.jobs.len()),
            ("user tasks", store.user_tasks.len()),
            ("incidents", store.incidents.len()),
            ("variables", store.variables.len()),
        ];
        for (what, count) in left {
            if count > 0 {
                return Err(Violation::new("I1", format!("{count} {what} without an instance")));
            }
        }
        let timed = library.named("timed").map(|known| known.key);
        let fired = store.ended.values().filter(|row| Some(row.definition) == timed).count();
        if fired != TIMED_STARTS {
            return Err(Violation::new("I8", format!("a timer started {fired} instances")));
        }
        tenants::agree(store)?;
        self.batches_are_done()?;
        self.starts_have_owners(store, library, asked)?;
        self.completions_have_owners(asked)
    }

    /// Who started an instance was not told that it was refused.
    fn starts_have_owners(
        &self,
        store: &Core,
        library: &Library,
        asked: &BTreeMap<RequestId, Asked>,
    ) -> Result<(), Violation> {
        let nobody = ["timed", "told"].map(|id| library.named(id).map(|known| known.key));
        let mut seen = BTreeSet::new();
        let is_asked_for =
            |row: &&EndedRow| row.caller.is_none() && !nobody.contains(&Some(row.definition));
        for row in store.ended.values().filter(is_asked_for) {
            let variables = decode_variables(&row.variables);
            let variables = variables.map_err(|e| Violation::new("I1", e.to_string()))?;
            let number = variables.get("asked").filter(|value| value.tag == ValueTag::Int);
            let id = number.and_then(|value| value.to_json().parse().ok()).map(RequestId);
            let Some(asked) = id.and_then(|id| asked.get(&id)) else {
                let message = format!("instance {} has lost the variables of its start", row.key);
                return Err(Violation::new("I1", message));
            };
            if asked.answer == Answered::Refused {
                let message = format!("the start of {} was refused and done", row.key);
                return Err(Violation::new("I9", message));
            }
            if !seen.insert(id) {
                let message = format!("one start led to two instances, {} is one", row.key);
                return Err(Violation::new("I2", message));
            }
        }
        Ok(())
    }

    /// A completed worker job has someone who was not told that it was refused.
    fn completions_have_owners(&self, asked: &BTreeMap<RequestId, Asked>) -> Result<(), Violation> {
        let mut answers: BTreeMap<JobKey, Vec<Answered>> = BTreeMap::new();
        for asked in asked.values() {
            if let Ask::Complete { job } = asked.ask {
                answers.entry(job).or_default().push(asked.answer);
            }
        }
        for (job, answers) in answers {
            let is_completed = self.completed.contains_key(&job);
            if is_completed && answers.iter().all(|answer| *answer == Answered::Refused) {
                // Its own job is also completed by the engine; then refusing clients is right.
                if self.delivered.iter().any(|(delivered, _)| *delivered == job) {
                    let message =
                        format!("the completion of job {job} took effect and was refused");
                    return Err(Violation::new("I2", message));
                }
            }
        }
        Ok(())
    }
}
