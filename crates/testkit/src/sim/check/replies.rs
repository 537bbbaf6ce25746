//! Answers: what is acknowledged is on disk, and what is refused is refused with reason.

use orloj::Rejection;
use orloj::api::Error;
use orloj::node::Reply;
use orloj_store::format::decode_variables;
use orloj_types::{InstanceKey, JobKey};

use super::{Checker, Violation};
use crate::sim::happening::{Ask, Asked};
use crate::sim_store::Core;

impl Checker {
    pub fn replied(
        &mut self,
        store: &Core,
        asked: &Asked,
        result: &Result<Reply, Error>,
    ) -> Result<(), Violation> {
        match result {
            Ok(reply) => self.acknowledged(store, &asked.ask, reply),
            Err(Error::Rejected(rejection)) => refused(store, &asked.ask, rejection),
            Err(_) => Ok(()),
        }
    }

    fn acknowledged(&mut self, store: &Core, ask: &Ask, reply: &Reply) -> Result<(), Violation> {
        let is_on_disk = match (ask, reply) {
            (Ask::Start { is_awaited: false }, Reply::Started { instance }) => {
                exists(store, *instance)
            }
            (Ask::Start { is_awaited: true }, Reply::Finished { instance, completed, .. }) => {
                store.ended.get(instance).is_some_and(|row| row.completed == *completed)
            }
            (Ask::Complete { job }, Reply::Done) => {
                count(&mut self.completed_acknowledged, *job);
                told(&self.completed_acknowledged, *job) <= told(&self.completed, *job)
            }
            (Ask::Fail { job }, Reply::Done) => {
                count(&mut self.failed_acknowledged, *job);
                told(&self.failed_acknowledged, *job) <= told(&self.failed, *job)
            }
            (Ask::Throw { job }, Reply::Done) => {
                count(&mut self.threw_acknowledged, *job);
                told(&self.threw_acknowledged, *job) <= told(&self.threw, *job)
            }
            (Ask::Retries | Ask::Order, Reply::Done) => true,
            (Ask::Resolve { incident }, Reply::Done) => !store.incidents.contains_key(incident),
            (Ask::UserTask { task }, Reply::Done) => !store.user_tasks.contains_key(task),
            (Ask::Cancel { instance }, Reply::Done) => {
                store.ended.get(instance).is_some_and(|row| !row.completed)
            }
            (Ask::Variables { instance, name }, Reply::Keys(_)) => {
                has_variable(store, *instance, name)
            }
            (Ask::Poll { .. }, Reply::Jobs(_)) => true,
            (Ask::Publish { is_buffered }, Reply::Keys(keys)) => {
                let is_there =
                    |key: &i64| store.messages.contains_key(&orloj_store::MessageKey::new(*key));
                !is_buffered || keys.iter().all(is_there)
            }
            (Ask::Signal, Reply::Keys(_)) => true,
            (Ask::Batch, Reply::Done) => true,
            _ => {
                let message = format!("{ask:?} is answered with {reply:?}");
                return Err(Violation::new("I9", message));
            }
        };
        match is_on_disk {
            true => Ok(()),
            false => {
                let message = format!("{ask:?} is acknowledged, but the store does not have it");
                Err(Violation::new("I9", message))
            }
        }
    }
}

/// Keys do not come back once they are gone: what is there now was there all the time.
fn refused(store: &Core, ask: &Ask, rejection: &Rejection) -> Result<(), Violation> {
    let is_there = match rejection {
        Rejection::JobNotFound(job) => {
            store.jobs.get(job).is_some_and(|row| row.kind == orloj_store::JobKind::Worker)
        }
        Rejection::IncidentNotFound(incident) => store.incidents.contains_key(incident),
        Rejection::UserTaskNotFound(task) => store.user_tasks.contains_key(task),
        Rejection::InstanceNotFound(instance) => store.instances.contains_key(instance),
        Rejection::ScopeNotFound(scope) => {
            store.instances.contains_key(&InstanceKey::new(scope.raw()))
        }
        _ => false,
    };
    match is_there {
        true => {
            let message = format!("{ask:?} is refused ({rejection}), but it is there");
            Err(Violation::new("I9", message))
        }
        false => Ok(()),
    }
}

fn exists(store: &Core, instance: InstanceKey) -> bool {
    store.instances.contains_key(&instance) || store.ended.contains_key(&instance)
}

fn has_variable(store: &Core, instance: InstanceKey, name: &str) -> bool {
    if let Some(row) = store.ended.get(&instance) {
        return decode_variables(&row.variables)
            .is_ok_and(|variables| variables.get(name).is_some());
    }
    let record = store.instances.get(&instance).and_then(|row| store.record_of(row).ok());
    record.is_some_and(|record| {
        let root = record.scopes.iter().filter(|scope| scope.key == 0);
        root.flat_map(|scope| &scope.variables).any(|variable| variable.name == name)
    })
}

fn count(counts: &mut std::collections::BTreeMap<JobKey, u32>, job: JobKey) {
    *counts.entry(job).or_default() += 1;
}

fn told(counts: &std::collections::BTreeMap<JobKey, u32>, job: JobKey) -> u32 {
    counts.get(&job).copied().unwrap_or(0)
}
