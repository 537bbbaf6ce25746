//! How the process of a run is started: by hand, or by what it waits for.

use std::collections::VecDeque;
use std::sync::Arc;

use orloj_interpreter::Signal;
use orloj_model::{ElementKind, Trigger};
use orloj_types::{Document, ElementId};

use super::World;
use super::engine::{Failed, NewInstance};
use super::signals::{start_triggers, text_of};
use crate::run::{Engine, StartBy};

/// A start that the process has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    Hand,
    Message {
        name: Arc<str>,
        key: Arc<str>,
        event: ElementId,
    },
    Signal {
        name: Arc<str>,
    },
    Condition {
        event: ElementId,
    },
    /// Only time starts it, which the clock of the rehearsal brings.
    Timer,
}

impl Start {
    /// What a step says of it.
    pub fn words(&self) -> String {
        match self {
            Self::Hand => "start".to_owned(),
            other => format!("{} starts", other.name()),
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Hand => "a start by hand".to_owned(),
            Self::Message { name, .. } => format!("message '{name}'"),
            Self::Signal { name } => format!("signal '{name}'"),
            Self::Condition { event } => format!("the condition of {event}"),
            Self::Timer => "time".to_owned(),
        }
    }
}

impl World {
    /// The start that is meant, or why the process cannot be started so.
    pub(crate) fn start_by(&self, process: &str, by: &StartBy) -> Result<Start, Failed> {
        if matches!(by, StartBy::Hand) {
            return Ok(Start::Hand);
        }
        let Some(definition) = self.definitions.latest(process) else { return Ok(Start::Hand) };
        let process = &definition.process;
        let has_plain = process.root.starts.iter().any(|&index| {
            matches!(&process.element(index).kind, ElementKind::StartEvent(s) if s.trigger.is_none())
        });
        if has_plain && *by == StartBy::Anything {
            return Ok(Start::Hand);
        }
        let starts: Vec<Start> = start_triggers(process)
            .filter_map(|(event, trigger)| match trigger {
                Trigger::Message(message) => Some(Start::Message {
                    name: text_of(&message.name, self.now)?,
                    key: "".into(),
                    event: event.clone(),
                }),
                Trigger::Signal(signal) => {
                    Some(Start::Signal { name: text_of(&signal.name, self.now)? })
                }
                Trigger::Condition(_) => Some(Start::Condition { event: event.clone() }),
                Trigger::Timer(_) => Some(Start::Timer),
                _ => None,
            })
            .collect();
        let missing = |what: String| {
            let there: Vec<String> = starts.iter().map(Start::name).collect();
            let there = if there.is_empty() { "nothing".to_owned() } else { there.join(", ") };
            Failed(format!("{what} does not start '{}', but {there}", process.id))
        };
        match by {
            StartBy::Hand => Ok(Start::Hand),
            StartBy::Anything => Ok(starts.into_iter().next().unwrap_or(Start::Hand)),
            StartBy::Message { name: wanted, key: given } => {
                let found = starts.iter().find_map(|start| match start {
                    Start::Message { name, event, .. } if **name == **wanted => {
                        let (name, event) = (name.clone(), event.clone());
                        Some(Start::Message { name, key: given.as_str().into(), event })
                    }
                    _ => None,
                });
                found.ok_or_else(|| missing(format!("message '{wanted}'")))
            }
            StartBy::Signal { name: wanted } => {
                let is_it =
                    |start: &&Start| matches!(start, Start::Signal { name } if **name == **wanted);
                let found = starts.iter().find(is_it).cloned();
                found.ok_or_else(|| missing(format!("signal '{wanted}'")))
            }
        }
    }

    pub(crate) fn start_with(
        &mut self,
        process: &str,
        start: Start,
        variables: Document,
    ) -> Result<(), Failed> {
        let (event, message_key) = match start {
            Start::Hand => return self.start(process, variables),
            Start::Timer => return Ok(()),
            Start::Signal { name } => {
                let signal =
                    Signal { name, variables, only: None, heard_by: None, is_async: false };
                return self.transact(|world| world.hear_all(VecDeque::from([signal])));
            }
            Start::Condition { event } => (event, None),
            Start::Message { key, event, .. } => {
                (event, Some(key).filter(|_| self.engine == Engine::Zeebe))
            }
        };
        let definition = self.definitions.latest(process).map(|found| found.key);
        let missing = || Failed(format!("no process '{process}' is deployed"));
        let definition = definition.ok_or_else(missing)?;
        self.transact(|world| {
            world.begin(NewInstance { definition, at: Some(&event), variables, message_key })
        })
    }
}
