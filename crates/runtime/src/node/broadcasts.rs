//! Errands: what follows from a change but concerns instances outside of it. A signal is told to
//! all that wait for it, a message to the start events it could set off.
//!
//! An errand is a row, committed with what causes it and worked off by any node, one step at a
//! time. Each step of a signal moves the row's place in the same change, and a message starts a
//! process once at most; so two nodes at the same errand do nothing twice, and one that dies
//! leaves it to the others.

use std::collections::VecDeque;
use std::sync::Arc;

use orloj_interpreter::{Command, Signal};
use orloj_store::format::encode_variables;
use orloj_store::{
    BroadcastKey, BroadcastRow, BroadcastWrite, Change, MessageKey, MessageRow, Pulse, StartKind,
    StartQuery, StartRow, SubscriptionKind, SubscriptionQuery, SubscriptionRow,
};
use orloj_types::{
    DefinitionKey, ElementId, EngineName, InstanceKey, ProcessId, SubscriptionKey, TenantId,
    Timestamp,
};

use super::answer::Question;
use super::claims::{Claims, Ended, Sole};
use super::event::{Find, Reply, RequestId, Work, WorkOrigin};
use super::messages::{document_of, key_of};
use super::slot::Task;
use super::start_events::EventStart;
use super::{Node, Phase, RETRY_MS};
use crate::api::{BroadcastSignal, Error};

/// Subscriptions read at a time.
const PAGE_SUBSCRIPTIONS: u32 = 256;
const PAGE_STARTS: u32 = 256;
/// Begins the names of errands that are no signals to all; no signal of a model has it.
const MARK: char = '\u{1}';

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Errand {
    /// Everyone who waits for it hears the signal, but for the instance that has thrown and heard
    /// it.
    Signal { name: Arc<str>, except: Option<InstanceKey> },
    /// Only this instance does.
    Local { instance: InstanceKey, name: Arc<str> },
    /// The start events that wait for the message's name start their processes.
    StartByMessage { message: MessageKey },
    /// An instance has ended that kept others from being started with its key.
    StartNext { process: ProcessId, key: Arc<str> },
}

impl Errand {
    pub fn row(&self, key: BroadcastKey, engine: &EngineName, tenant: &TenantId) -> BroadcastRow {
        let (engine, tenant) = (engine.clone(), tenant.clone());
        BroadcastRow { key, engine, tenant, name: self.name(), variables: Vec::new(), after: None }
    }

    fn name(&self) -> Arc<str> {
        match self {
            // A name may begin with anything that a model computes.
            Self::Signal { name, except: None } if name.starts_with(MARK) => {
                format!("{MARK}all {name}").into()
            }
            Self::Signal { name, except: None } => name.clone(),
            Self::Signal { name, except: Some(instance) } => {
                format!("{MARK}but {instance} {name}").into()
            }
            Self::Local { instance, name } => format!("{MARK}local {instance} {name}").into(),
            Self::StartByMessage { message } => format!("{MARK}start {message}").into(),
            Self::StartNext { process, key } => format!("{MARK}next {process} {key}").into(),
        }
    }

    /// `None`: written by a later version of this program.
    fn read(name: &Arc<str>) -> Option<Self> {
        let Some(marked) = name.strip_prefix(MARK) else {
            return Some(Self::Signal { name: name.clone(), except: None });
        };
        let (word, rest) = marked.split_once(' ')?;
        Some(match word {
            "all" => Self::Signal { name: rest.into(), except: None },
            "local" | "but" => {
                let (instance, name) = rest.split_once(' ')?;
                let (instance, name) = (InstanceKey::new(instance.parse().ok()?), name.into());
                match word {
                    "local" => Self::Local { instance, name },
                    _ => Self::Signal { name, except: Some(instance) },
                }
            }
            "start" => Self::StartByMessage { message: MessageKey::new(rest.parse().ok()?) },
            // The id of a process has no spaces.
            "next" => {
                let (process, key) = rest.split_once(' ')?;
                Self::StartNext { process: process.into(), key: key.into() }
            }
            _ => return None,
        })
    }
}

#[derive(Debug, Default)]
pub(crate) struct Broadcasts {
    /// There may be some.
    is_raised: bool,
    is_looking: bool,
    not_before: Timestamp,
    /// Heartbeats that told of errands, one after the other.
    pulses: u8,
    at_work: Option<AtWork>,
}

#[derive(Debug)]
struct AtWork {
    row: BroadcastRow,
    errand: Errand,
    stage: Stage,
    steps: VecDeque<Step>,
    /// Up to here subscriptions have been read.
    seen: Option<SubscriptionKey>,
    /// Where the row will be when the step under way is committed.
    next: Option<SubscriptionKey>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Subscriptions,
    Starts,
    Over,
}

#[derive(Debug)]
enum Step {
    Trigger(SubscriptionRow),
    Start(StartRow),
    StartBy(StartRow, Box<MessageRow>),
}

impl Broadcasts {
    pub fn raise(&mut self) {
        self.is_raised = true;
    }

    pub fn is_idle(&self) -> bool {
        !self.is_raised && !self.is_looking && self.at_work.is_none()
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// When a look is wanted.
    pub fn wake_at(&self) -> Option<Timestamp> {
        let is_free = !self.is_looking && self.at_work.is_none();
        (self.is_raised && is_free).then_some(self.not_before)
    }
}

/// Places before zero mean that all subscriptions have been told, and the start events up to that
/// of this definition.
fn place_of(definition: DefinitionKey) -> SubscriptionKey {
    SubscriptionKey::new(definition.raw() - i64::MAX)
}

fn definition_at(place: SubscriptionKey) -> Option<DefinitionKey> {
    (place.raw() <= 0).then(|| DefinitionKey::new(place.raw() + i64::MAX))
}

impl Node {
    pub(super) fn broadcast(&mut self, id: RequestId, signal: BroadcastSignal) {
        let key = self.keys.next(self.now);
        let row = BroadcastRow {
            key: BroadcastKey::new(key),
            engine: self.config.engine.clone(),
            tenant: signal.tenant,
            name: signal.name,
            variables: encode_variables(&signal.variables),
            after: None,
        };
        let sole = Sole::Signalled { id, key: row.key };
        let change = Change { broadcasts_added: vec![row], ..Change::default() };
        self.commit_sole(key, change, sole);
    }

    pub(super) fn signalled(&mut self, id: RequestId, key: BroadcastKey, ended: &Ended<'_>) {
        let result = match ended {
            Ended::Done => Ok(Reply::Keys(vec![key.raw()])),
            Ended::Lost => Err(Error::Internal("a broadcast was there already".into())),
            Ended::Refused(error) => Err((*error).clone()),
        };
        self.broadcasts.raise();
        self.reply(id, result);
    }

    /// Signals that an instance has thrown, as rows.
    pub(super) fn signal_rows(
        &mut self,
        signals: Vec<Signal>,
        tenant: &TenantId,
    ) -> Vec<BroadcastRow> {
        let mut rows = Vec::with_capacity(signals.len());
        for signal in signals {
            let errand = match signal.only {
                None => Errand::Signal { name: signal.name, except: signal.heard_by },
                Some(only) if signal.heard_by == Some(only) => continue,
                Some(instance) => Errand::Local { instance, name: signal.name },
            };
            let key = BroadcastKey::new(self.keys.next(self.now));
            let row = errand.row(key, &self.config.engine, tenant);
            rows.push(BroadcastRow { variables: encode_variables(&signal.variables), ..row });
        }
        rows
    }

    /// Whoever caused an errand works it off; the others only what has been there for a while.
    pub(super) fn look_after_broadcasts(&mut self, pulse: &Pulse) {
        if !pulse.has_broadcasts {
            self.broadcasts.pulses = 0;
            return;
        }
        self.broadcasts.pulses = self.broadcasts.pulses.saturating_add(1);
        if !self.has_peers || self.broadcasts.pulses > 1 {
            self.broadcasts.raise();
        }
    }

    pub(super) fn check_broadcasts(&mut self) {
        let is_time = self.broadcasts.wake_at().is_some_and(|at| at <= self.now);
        if !is_time || self.phase != Phase::Running {
            return;
        }
        self.broadcasts.is_raised = false;
        self.broadcasts.is_looking = true;
        self.find(Question::Broadcasts, Find::Broadcasts { limit: 1 });
    }

    pub(super) fn broadcasts_found(&mut self, rows: Vec<BroadcastRow>) {
        self.broadcasts.is_looking = false;
        let Some(row) = rows.into_iter().next() else { return };
        let Some(errand) = Errand::read(&row.name) else { return };
        let are_told = row.after.is_some_and(|place| definition_at(place).is_some());
        let stage = if are_told { Stage::Starts } else { Stage::Subscriptions };
        let seen = row.after;
        let steps = VecDeque::new();
        let work = AtWork { row, errand, stage, steps, seen, next: None };
        self.broadcasts.at_work = Some(work);
        self.step_broadcast();
    }

    /// Nobody answers, or others were faster: the row tells where to go on.
    pub(super) fn leave_broadcast(&mut self) {
        self.broadcasts.is_looking = false;
        self.broadcasts.at_work = None;
        self.broadcasts.is_raised = true;
        self.broadcasts.not_before = self.now.plus_ms(RETRY_MS);
    }

    fn step_broadcast(&mut self) {
        if self.phase != Phase::Running {
            return self.leave_broadcast();
        }
        let Some(work) = &mut self.broadcasts.at_work else { return };
        let (key, expected) = (work.row.key, work.row.after);
        let origin = WorkOrigin::Broadcast { key };
        let progress = |after| Some(BroadcastWrite::Progress { key, expected, after });
        match work.steps.pop_front() {
            None => self.read_broadcast(),
            Some(Step::Trigger(row)) => {
                work.next = Some(row.key);
                let variables = document_of(&work.row.variables);
                let command = Command::Trigger { subscription: row.key, variables };
                let claims = Claims { broadcast: progress(row.key), ..Claims::default() };
                let claims = Some(Box::new(claims));
                let work = Work { command, origin, claims };
                self.submit(row.instance, Task::Work(Box::new(work)));
            }
            Some(Step::Start(row)) => {
                let place = place_of(row.definition);
                work.next = Some(place);
                let variables = document_of(&work.row.variables);
                self.start_by_event(EventStart {
                    definition: row.definition,
                    event: row.event,
                    variables,
                    started_with: None,
                    claims: Claims { broadcast: progress(place), ..Claims::default() },
                    origin,
                });
            }
            Some(Step::StartBy(row, message)) => {
                self.start_by_event(EventStart {
                    definition: row.definition,
                    event: row.event,
                    variables: document_of(&message.variables),
                    started_with: key_of(&message.correlation_key),
                    claims: Claims { takes: Some(message.key), ..Claims::default() },
                    origin,
                });
            }
        }
    }

    /// Reads who is to be told next.
    fn read_broadcast(&mut self) {
        let Some(work) = &self.broadcasts.at_work else { return };
        let key = work.row.key;
        let (engine, tenant) = (work.row.engine.clone(), work.row.tenant.clone());
        let find = match (work.stage, &work.errand) {
            (Stage::Over, _) => {
                let done = BroadcastWrite::Done { key, expected: work.row.after };
                let change = Change { broadcasts: vec![done], ..Change::default() };
                return self.commit_sole(key.raw(), change, Sole::Told { key });
            }
            (_, Errand::StartByMessage { message }) => Find::StartsBy(*message, self.now),
            (_, Errand::StartNext { process, key }) => Find::StartsNext {
                engine,
                tenant,
                process: process.clone(),
                key: key.clone(),
                now: self.now,
            },
            (Stage::Subscriptions, Errand::Signal { name, .. } | Errand::Local { name, .. }) => {
                let instance = match &work.errand {
                    Errand::Local { instance, .. } => Some(*instance),
                    _ => None,
                };
                Find::Subscriptions(SubscriptionQuery {
                    engine,
                    tenant: Some(tenant),
                    kind: SubscriptionKind::Signal,
                    name: Some(name.clone()),
                    correlation_key: None,
                    instance,
                    after: work.seen,
                    limit: PAGE_SUBSCRIPTIONS,
                })
            }
            (Stage::Starts, Errand::Signal { name, .. } | Errand::Local { name, .. }) => {
                let told = work.row.after.and_then(definition_at);
                Find::Starts(StartQuery {
                    engine,
                    tenant: Some(tenant),
                    kind: StartKind::Signal,
                    name: Some(name.clone()),
                    // After every event of the definition.
                    after: told.map(|definition| (definition, ElementId::from("\u{10FFFF}"))),
                    limit: PAGE_STARTS,
                })
            }
        };
        self.find(Question::Receivers { broadcast: key }, find);
    }

    pub(super) fn subscriptions_found(&mut self, of: BroadcastKey, rows: Vec<SubscriptionRow>) {
        let Some(work) = self.broadcasts.at_work.as_mut().filter(|w| w.row.key == of) else {
            return;
        };
        if rows.len() < PAGE_SUBSCRIPTIONS as usize {
            work.stage = match work.errand {
                Errand::Signal { .. } => Stage::Starts,
                _ => Stage::Over,
            };
        }
        work.seen = rows.last().map(|row| row.key).or(work.seen);
        // Who began to wait afterwards, perhaps because of this very signal, does not hear it.
        let except = match work.errand {
            Errand::Signal { except, .. } => except,
            _ => None,
        };
        let hears =
            |row: &SubscriptionRow| row.key.raw() < of.raw() && Some(row.instance) != except;
        work.steps.extend(rows.into_iter().filter(hears).map(Step::Trigger));
        self.step_broadcast();
    }

    pub(super) fn starts_found(&mut self, of: BroadcastKey, rows: Vec<StartRow>) {
        let Some(work) = self.broadcasts.at_work.as_mut().filter(|w| w.row.key == of) else {
            return;
        };
        work.stage = Stage::Over;
        work.steps.extend(rows.into_iter().map(Step::Start));
        self.step_broadcast();
    }

    pub(super) fn candidates_found(
        &mut self,
        of: BroadcastKey,
        candidates: Vec<(StartRow, MessageRow)>,
    ) {
        let Some(work) = self.broadcasts.at_work.as_mut().filter(|w| w.row.key == of) else {
            return;
        };
        work.stage = Stage::Over;
        let steps = candidates.into_iter().map(|(row, message)| Step::StartBy(row, message.into()));
        work.steps.extend(steps);
        self.step_broadcast();
    }

    /// A step of the errand is over.
    pub(super) fn heard(&mut self, key: BroadcastKey, ended: &Ended<'_>) {
        let Some(work) = self.broadcasts.at_work.as_mut().filter(|w| w.row.key == key) else {
            return;
        };
        let next = work.next.take();
        let is_signal = matches!(work.errand, Errand::Signal { .. } | Errand::Local { .. });
        match ended {
            Ended::Done if is_signal => work.row.after = next,
            Ended::Done if matches!(work.errand, Errand::StartNext { .. }) => work.steps.clear(),
            Ended::Done => {}
            Ended::Refused(Error::Unavailable(_)) => return self.leave_broadcast(),
            // It waits no more, or fails at what the signal does to it: the others come next.
            Ended::Refused(_) => {}
            Ended::Lost if is_signal => return self.leave_broadcast(),
            // The process has got the message, or an instance of it keeps the key to itself.
            Ended::Lost => {}
        }
        self.step_broadcast();
    }

    pub(super) fn broadcast_over(&mut self, key: BroadcastKey, ended: &Ended<'_>) {
        if self.broadcasts.at_work.as_ref().is_some_and(|work| work.row.key == key) {
            match ended {
                Ended::Done => {
                    self.broadcasts.at_work = None;
                    self.broadcasts.raise();
                }
                _ => self.leave_broadcast(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errands_read_as_they_are_written() {
        let errands = [
            Errand::Signal { name: "go now".into(), except: None },
            Errand::Signal { name: "go now".into(), except: Some(InstanceKey::new(7)) },
            Errand::Local { instance: InstanceKey::new(7), name: "go now".into() },
            Errand::StartByMessage { message: MessageKey::new(8) },
            Errand::StartNext { process: "p".into(), key: "a key".into() },
        ];
        for errand in errands {
            assert_eq!(Errand::read(&errand.name()), Some(errand));
        }
        assert_eq!(Errand::read(&"\u{1}later version".into()), None);
    }

    #[test]
    fn places_of_start_events_come_after_all_subscriptions() {
        let definition = DefinitionKey::new(1 << 52);
        assert_eq!(definition_at(place_of(definition)), Some(definition));
        assert_eq!(definition_at(SubscriptionKey::new(1 << 52)), None);
    }
}
