//! Errands: what follows from a change but concerns instances outside of it. A signal is told to
//! all that wait for it, a message to the start events it could set off.
//!
//! An errand is a row, committed with what causes it and worked off by any node, one step at a
//! time. Each step of a signal moves the row's place in the same change, and a message starts a
//! process once at most; so two nodes at the same errand do nothing twice, and one that dies
//! leaves it to the others.

use std::collections::VecDeque;

use orloj_interpreter::{Command, Signal};
use orloj_store::format::encode_variables;
use orloj_store::{
    BroadcastKey, BroadcastRow, BroadcastWrite, Change, MessageRow, Pulse, StartKind, StartQuery,
    StartRow, SubscriptionKind, SubscriptionQuery, SubscriptionRow,
};
use orloj_types::{DefinitionKey, ElementId, SubscriptionKey, TenantId, Timestamp};
use thin_vec::thin_vec;

use super::answer::Question;
use super::claims::{Claims, Ended, Sole};
use super::errand::{self, Errand, Place};
use super::event::{Find, Reply, RequestId, Work, WorkOrigin};
use super::messages::{document_of, key_of};
use super::slot::Task;
use super::start_events::EventStart;
use super::{Node, Phase, RETRY_MS, Sabotage};
use crate::api::{BroadcastSignal, Error};

/// Subscriptions and start events read at a time.
const PAGE_SUBSCRIPTIONS: u32 = 256;
const PAGE_STARTS: u32 = 256;
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
    /// Who waits hears of it in a job of its own.
    is_later: bool,
    stage: Stage,
    steps: VecDeque<Step>,
    /// Up to here subscriptions and start events have been read.
    seen: Option<SubscriptionKey>,
    seen_start: Option<(DefinitionKey, ElementId)>,
    /// Where the row will be when the step under way is committed.
    next: Option<Place>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// It is not known yet whom the signal is for.
    Begin,
    /// Subscriptions up to this one.
    Subscriptions(SubscriptionKey),
    Starts,
    Over,
}

#[derive(Debug)]
enum Step {
    /// With the last of those that are told.
    Trigger(SubscriptionRow, SubscriptionKey),
    Start(StartRow),
    StartBy(StartRow, Box<MessageRow>),
}

impl AtWork {
    fn stage_after_waits(&self) -> Stage {
        match self.errand {
            Errand::Signal { .. } => Stage::Starts,
            _ => Stage::Over,
        }
    }
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

impl Node {
    pub(super) fn broadcast(&mut self, id: RequestId, signal: BroadcastSignal) {
        let key = self.keys.next(self.now);
        let row = BroadcastRow {
            key: BroadcastKey::new(key),
            engine: self.config.engine.clone(),
            tenant: signal.tenant,
            name: signal.name,
            variables: encode_variables(&signal.variables),
            place: Place::Begin.text(),
        };
        let sole = Sole::Signalled { id, key: row.key };
        let change = Change { broadcasts_added: thin_vec![row], ..Change::default() };
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
            let mut row = errand.row(key, &self.config.engine, tenant);
            if signal.is_async {
                row.name = errand::later(&row.name);
            }
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
        let (is_later, name) = errand::is_later(&row.name);
        let Some(errand) = Errand::read(&name) else { return };
        let Some(place) = Place::read(&row.place) else { return };
        let (mut seen, mut seen_start) = (None, None);
        let stage = match place {
            Place::Begin => Stage::Begin,
            Place::Waits { .. } if self.sabotaged(Sabotage::ForgetSignals) => Stage::Starts,
            Place::Waits { after, until } => {
                seen = Some(after);
                self.begin_waits_after(until);
                Stage::Subscriptions(until)
            }
            Place::Starts { definition, event } => {
                seen_start = Some((definition, event));
                Stage::Starts
            }
        };
        let steps = VecDeque::new();
        let work = AtWork { row, errand, is_later, stage, steps, seen, seen_start, next: None };
        self.broadcasts.at_work = Some(work);
        self.step_broadcast();
    }

    /// Whoever waits again when told does so under a key that this signal does not reach, however
    /// the clocks of the nodes differ.
    fn begin_waits_after(&mut self, until: SubscriptionKey) {
        self.keys.raise_above(until.raw());
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
        let (key, expected) = (work.row.key, work.row.place.clone());
        let origin = WorkOrigin::Broadcast { key };
        let progress = |place: &Place| {
            let place = place.text();
            Some(BroadcastWrite::Progress { key, expected, place })
        };
        match work.steps.pop_front() {
            None => self.read_broadcast(),
            Some(Step::Trigger(row, until)) => {
                let place = Place::Waits { after: row.key, until };
                let variables = document_of(&work.row.variables);
                let subscription = row.key;
                let command = match work.is_later {
                    true => Command::DeferTrigger { subscription, variables },
                    false => Command::Trigger { subscription, variables },
                };
                let claims = Claims { broadcast: progress(&place), ..Claims::default() };
                let claims = Some(Box::new(claims));
                work.next = Some(place);
                let work = Work { claims, ..Work::new(command, origin) };
                self.submit(row.instance, Task::Work(Box::new(work)));
            }
            Some(Step::Start(row)) => {
                let place = Place::Starts { definition: row.definition, event: row.event.clone() };
                let claims = Claims { broadcast: progress(&place), ..Claims::default() };
                work.next = Some(place);
                let variables = document_of(&work.row.variables);
                self.start_by_event(EventStart {
                    definition: row.definition,
                    event: row.event,
                    variables,
                    started_with: None,
                    claims,
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
                let done = BroadcastWrite::Done { key, expected: work.row.place.clone() };
                let change = Change { broadcasts: thin_vec![done], ..Change::default() };
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
            (Stage::Begin, Errand::Signal { name, .. } | Errand::Local { name, .. }) => {
                Find::LastSignal(name.clone())
            }
            (Stage::Subscriptions(_), Errand::Signal { name, .. } | Errand::Local { name, .. }) => {
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
                    business_key: None,
                    after: work.seen,
                    limit: PAGE_SUBSCRIPTIONS,
                })
            }
            (Stage::Starts, Errand::Signal { name, .. } | Errand::Local { name, .. }) => {
                Find::Starts(StartQuery {
                    engine,
                    tenant: Some(tenant),
                    kind: StartKind::Signal,
                    name: Some(name.clone()),
                    after: work.seen_start.clone(),
                    limit: PAGE_STARTS,
                })
            }
        };
        self.find(Question::Receivers { broadcast: key }, find);
    }

    /// The last of those who wait for the signal, after it was committed: all up to it hear it.
    pub(super) fn last_signal_found(&mut self, of: BroadcastKey, last: Option<SubscriptionKey>) {
        let Some(work) = self.broadcasts.at_work.as_mut().filter(|w| w.row.key == of) else {
            return;
        };
        work.stage = match last {
            Some(until) => Stage::Subscriptions(until),
            None => work.stage_after_waits(),
        };
        if let Some(until) = last {
            self.begin_waits_after(until);
        }
        self.step_broadcast();
    }

    pub(super) fn subscriptions_found(&mut self, of: BroadcastKey, rows: Vec<SubscriptionRow>) {
        let Some(work) = self.broadcasts.at_work.as_mut().filter(|w| w.row.key == of) else {
            return;
        };
        let Stage::Subscriptions(until) = work.stage else { return };
        work.seen = rows.last().map(|row| row.key).or(work.seen);
        if rows.len() < PAGE_SUBSCRIPTIONS as usize || work.seen >= Some(until) {
            work.stage = work.stage_after_waits();
        }
        let except = match work.errand {
            Errand::Signal { except, .. } => except,
            _ => None,
        };
        let hears = |row: &SubscriptionRow| row.key <= until && Some(row.instance) != except;
        let told = rows.into_iter().filter(hears).map(|row| Step::Trigger(row, until));
        work.steps.extend(told);
        self.step_broadcast();
    }

    pub(super) fn starts_found(&mut self, of: BroadcastKey, rows: Vec<StartRow>) {
        let Some(work) = self.broadcasts.at_work.as_mut().filter(|w| w.row.key == of) else {
            return;
        };
        if rows.len() < PAGE_STARTS as usize {
            work.stage = Stage::Over;
        }
        work.seen_start = rows.last().map(|row| (row.definition, row.event.clone()));
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
            Ended::Done if is_signal => {
                if let Some(place) = next {
                    work.row.place = place.text();
                }
            }
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
