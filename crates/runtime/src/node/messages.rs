//! Messages: published, buffered, correlated.
//!
//! A buffered message is a row; whoever commits the later of message and subscription is told that
//! they fit. A fit is correlated by an ordinary command of the subscription's instance, which takes
//! the message in the same change. Afterwards the channel is looked at again, until nothing fits.
//! What is reported to a node that dies is found again by a look at all fits now and then.
//!
//! Start events are not part of channels: a message that could start something leaves a row of its
//! own to be worked off (see [`super::broadcasts`]), committed with it.

use std::collections::BTreeSet;
use std::sync::Arc;

use orloj_interpreter::{Command, Rejection};
use orloj_store::format::{decode_variables, encode_variables};
use orloj_store::{
    BroadcastKey, Change, Channel, Fit, MessageKey, MessageRow, Pulse, StartRow, SubscriptionRow,
};
use orloj_types::{Document, InstanceKey, ProcessId, Timestamp};
use rustc_hash::FxHashMap;
use thin_vec::thin_vec;

use super::answer::Question;
use super::claims::{Claims, Ended};
use super::errand::Errand;
use super::event::{Find, Reply, RequestId, Work, WorkOrigin};
use super::slot::Task;
use super::start_events::EventStart;
use super::{Node, Phase, Sole};
use crate::api::{Error, PublishMessage};

/// How often a fit that others were faster with is looked at again before it is left to the next
/// look at all.
const TRIES_MAX: u8 = 16;
/// How often all fits are looked for.
const SCAN_MS: i64 = 10_000;
const SCAN_FITS_MAX: u32 = 256;
/// Messages read when an instance has ended that kept others from being started with its key. The
/// first will do, unless others are faster.
pub const NEXT_MESSAGES_MAX: u32 = 16;
/// Expired messages removed at a time.
const EXPIRE_MESSAGES_MAX: u32 = 1_000;

#[derive(Debug, Default)]
pub(crate) struct Messages {
    correlating: FxHashMap<MessageKey, Correlation>,
    publications: FxHashMap<u64, Publication>,
    next_publication: u64,
    scanned_at: Option<Timestamp>,
    is_scanning: bool,
    is_expiring: bool,
}

#[derive(Debug)]
struct Correlation {
    fit: Fit,
    channel: Option<Channel>,
    tries: u8,
}

/// A message that is not buffered, on its way to those that waited for it.
#[derive(Debug)]
struct Publication {
    id: RequestId,
    key: i64,
    left: usize,
}

/// Those who could get a message.
#[derive(Clone, Debug, Default)]
pub struct Receivers {
    /// A buffered message of the channel has the same id.
    pub is_known: bool,
    /// With the ids of their processes, oldest first; of each process at least the first.
    pub subscriptions: Vec<(SubscriptionRow, ProcessId)>,
    pub starts: Vec<StartRow>,
}

impl Messages {
    pub fn is_idle(&self) -> bool {
        self.correlating.is_empty() && self.publications.is_empty() && !self.is_scanning
    }

    pub fn clear(&mut self) {
        *self = Self { next_publication: self.next_publication, ..Self::default() };
    }

    /// A report may be lost: look soon.
    pub fn doubt(&mut self) {
        self.scanned_at = None;
    }
}

impl Node {
    // ---- publishing

    pub(super) fn publish(&mut self, id: RequestId, message: PublishMessage) {
        let find = Find::Receivers {
            channel: self.channel_of(&message),
            message_id: message.message_id.clone(),
            with_subscriptions: message.time_to_live_ms <= 0,
            now: self.now,
        };
        self.find(Question::Publish { id, message: Box::new(message) }, find);
    }

    fn channel_of(&self, message: &PublishMessage) -> Channel {
        Channel {
            engine: self.config.engine.clone(),
            tenant: message.tenant.clone(),
            name: message.name.clone(),
            correlation_key: message.correlation_key.clone(),
        }
    }

    pub(super) fn receivers_found(
        &mut self,
        id: RequestId,
        message: PublishMessage,
        receivers: Receivers,
    ) {
        if receivers.is_known {
            return self.reply(id, Err(Error::MessageExists));
        }
        let key = self.keys.next(self.now);
        if message.time_to_live_ms <= 0 {
            return self.tell(id, key, &message, receivers);
        }
        let channel = self.channel_of(&message);
        let row = MessageRow {
            key: MessageKey::new(key),
            engine: channel.engine,
            tenant: channel.tenant,
            name: channel.name,
            correlation_key: channel.correlation_key,
            message_id: message.message_id.filter(|id| !id.is_empty()),
            variables: encode_variables(&message.variables),
            expires_at: self.now.plus_ms(message.time_to_live_ms),
        };
        let starts = !receivers.starts.is_empty();
        let errand = starts.then(|| {
            let errand = Errand::StartByMessage { message: row.key };
            let key = BroadcastKey::new(self.keys.next(self.now));
            errand.row(key, &row.engine, &row.tenant)
        });
        let sole = Sole::Published { id, key: row.key, starts };
        let change = Change {
            messages_added: thin_vec![row],
            broadcasts_added: errand.into_iter().collect(),
            ..Change::default()
        };
        self.commit_sole(key, change, sole);
    }

    pub(super) fn published(
        &mut self,
        id: RequestId,
        key: MessageKey,
        starts: bool,
        ended: &Ended<'_>,
    ) {
        let result = match ended {
            Ended::Done => Ok(Reply::Keys(vec![key.raw()])),
            Ended::Lost => Err(Error::MessageExists),
            Ended::Refused(error) => Err((*error).clone()),
        };
        self.reply(id, result);
        if starts && matches!(ended, Ended::Done) {
            self.broadcasts.raise();
        }
    }

    /// A message that does not wait goes to whom it finds now: one subscription or start event of
    /// each process.
    fn tell(&mut self, id: RequestId, key: i64, message: &PublishMessage, receivers: Receivers) {
        let mut processes = BTreeSet::new();
        let mut waits = Vec::new();
        for (row, process) in receivers.subscriptions {
            if processes.insert(process) {
                waits.push(row);
            }
        }
        let is_new = |row: &StartRow| !processes.contains(&row.process_id);
        let starts: Vec<StartRow> = receivers.starts.into_iter().filter(is_new).collect();
        let left = waits.len() + starts.len();
        if left == 0 {
            return self.reply(id, Ok(Reply::Keys(vec![key])));
        }
        let publication = self.messages.next_publication;
        self.messages.next_publication += 1;
        self.messages.publications.insert(publication, Publication { id, key, left });
        let origin = WorkOrigin::Told { publication };
        for row in waits {
            let variables = message.variables.clone();
            let command = Command::Trigger { subscription: row.key, variables };
            // It is repeated after a lost race: whoever comes second finds the wait gone.
            let work = Work::new(command, origin);
            self.submit(row.instance, Task::Work(Box::new(work)));
        }
        for row in starts {
            self.start_by_event(EventStart {
                definition: row.definition,
                event: row.event,
                variables: message.variables.clone(),
                started_with: key_of(&message.correlation_key),
                claims: Claims::default(),
                origin,
            });
        }
    }

    pub(super) fn told(&mut self, publication: u64, ended: &Ended<'_>) {
        let Some(told) = self.messages.publications.get_mut(&publication) else { return };
        told.left -= 1;
        // Whoever could not be told does not get it; but a store that is away is worth an answer.
        if let Ended::Refused(error @ Error::Unavailable(_)) = ended {
            let id = told.id;
            self.messages.publications.remove(&publication);
            return self.reply(id, Err((*error).clone()));
        }
        if told.left == 0 {
            let (id, key) = (told.id, told.key);
            self.messages.publications.remove(&publication);
            self.reply(id, Ok(Reply::Keys(vec![key])));
        }
    }

    /// The lease is gone, and with it whom the messages were to reach: whoever waits is answered.
    pub(super) fn drop_publications(&mut self, error: &Error) {
        let dropped = self.messages.publications.drain();
        let mut ids: Vec<RequestId> = dropped.map(|(_, publication)| publication.id).collect();
        ids.sort_unstable();
        for id in ids {
            self.reply(id, Err(error.clone()));
        }
    }

    // ---- correlating

    pub(super) fn correlate(&mut self, fit: Fit, tries: u8) {
        if self.phase != Phase::Running || self.messages.correlating.contains_key(&fit.message) {
            return;
        }
        let correlation = Correlation { fit, channel: None, tries };
        self.messages.correlating.insert(fit.message, correlation);
        self.find(Question::Correlate { message: fit.message }, Find::Message(fit.message));
    }

    pub(super) fn message_found(&mut self, key: MessageKey, row: Option<MessageRow>) {
        let Some(correlation) = self.messages.correlating.get_mut(&key) else { return };
        // Nobody gets a message after its time, however long the way to it took.
        let row = row.filter(|row| row.expires_at > self.now);
        let document = row.as_ref().map(|row| decode_variables(&row.variables));
        let (Some(row), Some(Ok(variables))) = (row, document) else {
            self.messages.correlating.remove(&key);
            return;
        };
        correlation.channel = Some(row.channel());
        let Fit { message, subscription, instance } = correlation.fit;
        let command = Command::Trigger { subscription, variables };
        let claims = Claims { takes: Some(message), ..Claims::default() };
        let origin = WorkOrigin::Correlation { message };
        let work = Work::new(command, origin).with_claims(claims);
        self.submit(instance, Task::Work(Box::new(work)));
    }

    pub(super) fn correlated(&mut self, message: MessageKey, ended: &Ended<'_>) {
        let Some(done) = self.messages.correlating.remove(&message) else { return };
        let Some(channel) = done.channel else { return self.messages.doubt() };
        let (tries, refused) = match ended {
            Ended::Done => (0, None),
            Ended::Lost => (done.tries + 1, None),
            Ended::Refused(Error::Rejected(
                Rejection::SubscriptionNotFound(_) | Rejection::InstanceNotFound(_),
            )) => (done.tries + 1, Some(done.fit)),
            // It stays buffered, and is looked at again now and then.
            Ended::Refused(_) => return,
        };
        if tries < TRIES_MAX && self.phase == Phase::Running {
            let question = Question::Channel { tries, refused };
            self.find(question, Find::Fit(channel, self.now));
        }
    }

    pub(super) fn fit_found(&mut self, fit: Option<Fit>, tries: u8, refused: Option<Fit>) {
        if let Some(fit) = fit.filter(|fit| refused != Some(*fit)) {
            self.correlate(fit, tries);
        }
    }

    // ---- now and then

    /// What a heartbeat tells about buffered messages.
    pub(super) fn look_after_messages(&mut self, pulse: &Pulse) {
        let Some(expires_at) = pulse.message_expires_at else { return };
        if self.phase != Phase::Running {
            return;
        }
        if expires_at <= self.now && !self.messages.is_expiring {
            self.messages.is_expiring = true;
            let find = Find::ExpireMessages { now: self.now, limit: EXPIRE_MESSAGES_MAX };
            self.find(Question::ExpireMessages, find);
        }
        let scanned_at = self.messages.scanned_at;
        let is_time = scanned_at.is_none_or(|at| self.now >= at.plus_ms(SCAN_MS));
        if is_time && !self.messages.is_scanning {
            self.messages.scanned_at = Some(self.now);
            self.scan(None);
        }
    }

    fn scan(&mut self, after: Option<MessageKey>) {
        self.messages.is_scanning = true;
        let find = Find::Fits { now: self.now, after, limit: SCAN_FITS_MAX };
        self.find(Question::Fits, find);
    }

    pub(super) fn fits_found(&mut self, fits: Vec<Fit>) {
        self.messages.is_scanning = false;
        let last = fits.last().map(|fit| fit.message);
        let is_full = fits.len() >= SCAN_FITS_MAX as usize;
        for fit in fits {
            self.correlate(fit, 0);
        }
        if is_full && self.phase == Phase::Running {
            self.scan(last);
        }
    }

    pub(super) fn fits_unknown(&mut self) {
        self.messages.is_scanning = false;
        self.messages.doubt();
    }

    pub(super) fn messages_expired(&mut self, count: u32) {
        self.messages.is_expiring = false;
        if count >= EXPIRE_MESSAGES_MAX && self.phase == Phase::Running {
            self.messages.is_expiring = true;
            let find = Find::ExpireMessages { now: self.now, limit: EXPIRE_MESSAGES_MAX };
            self.find(Question::ExpireMessages, find);
        }
    }

    pub(super) fn correlation_unanswered(&mut self, message: MessageKey) {
        self.messages.correlating.remove(&message);
        self.messages.doubt();
    }

    /// An instance that kept its key to itself has ended: the next message may start another.
    pub(super) fn release_holder(
        &mut self,
        instance: InstanceKey,
        process: &orloj_model::Process,
        tenant: &orloj_types::TenantId,
        key: &Arc<str>,
        change: &mut Change,
    ) {
        change.messages_gone.push(super::claims::holder_key(instance));
        let errand = Errand::StartNext { process: process.id.clone(), key: key.clone() };
        let row = BroadcastKey::new(self.keys.next(self.now));
        change.broadcasts_added.push(errand.row(row, &self.config.engine, tenant));
    }
}

/// Every message without a key starts an instance.
pub(super) fn key_of(correlation_key: &Arc<str>) -> Option<Arc<str>> {
    Some(correlation_key.clone()).filter(|key| !key.is_empty())
}

pub(super) fn document_of(bytes: &[u8]) -> Document {
    decode_variables(bytes).unwrap_or_default()
}
