//! Nodes: leases, beats, and taking leases away.

use std::collections::VecDeque;

use orloj_store::{Beat, Claim, Error, JobState, Lease, NodeProfile, NodeRow, Order, Pulse};
use orloj_types::{JobKey, NODE_NUMBER_MAX, NodeNumber, Timestamp};

use super::Core;
use super::core::Kind;
use super::jobs::{is_acquirable, is_engine_job};

/// 10 seconds of keys: the most a node may have given after its last beat, or before its first.
const KEYS_MARGIN: i64 = 10_000 << 22;
/// A node computes its floor from what it knows to hold, and a lock may be ahead of that knowledge
/// while its answer is under way. Beats follow one another, so after this many the node knows.
const BEATS_UNTIL_KNOWN: usize = 3;

#[derive(Debug)]
pub(super) struct NodeState {
    number: u16,
    name: String,
    beat: i64,
    seen_at: Timestamp,
    key_high: i64,
    /// Removal clears no lock below it but those listed: that the node tells it truly is part of
    /// the contract.
    lock_floor: JobKey,
    /// The lowest key locked between two beats, the newest last.
    lowest_locked: VecDeque<JobKey>,
    settings_seen: i64,
    profile: NodeProfile,
}

impl Core {
    pub fn join(&mut self, claim: &Claim) -> Result<Lease, Error> {
        self.open()?;
        check_order(claim.profile.order)?;
        let is_replaced = |node: &NodeState| match self.kind {
            Kind::Embedded => true,
            Kind::Cluster => node.name == claim.name,
        };
        let replaced = self.nodes.iter().filter(|(_, node)| is_replaced(node));
        for session in replaced.map(|(session, _)| *session).collect::<Vec<_>>() {
            self.remove_node(session);
        }
        let is_free = |number: &u16| self.nodes.values().all(|node| node.number != *number);
        let number = (0..=NODE_NUMBER_MAX).find(is_free);
        let number = number.ok_or_else(|| Error::Unavailable("no node number is free".into()))?;
        let told = self.number_keys.get(&number);
        let keys_above = told.map_or(0, |high| high.saturating_add(KEYS_MARGIN));
        let session = self.next_session;
        self.next_session += 1;
        self.nodes.insert(
            session,
            NodeState {
                number,
                name: claim.name.clone(),
                beat: 0,
                seen_at: claim.now,
                key_high: keys_above,
                lock_floor: JobKey::new(i64::MAX),
                lowest_locked: VecDeque::from([JobKey::new(i64::MAX)]),
                settings_seen: 0,
                profile: claim.profile.clone(),
            },
        );
        for lane in 0..claim.lanes {
            self.lanes.insert((session, lane), 0);
        }
        Ok(Lease { node: NodeNumber(number), session, keys_above })
    }

    pub fn beat(&mut self, beat: &Beat) -> Result<Pulse, Error> {
        self.open()?;
        let node = self.nodes.get_mut(&beat.lease.session).ok_or(Error::Fenced)?;
        node.beat += 1;
        node.seen_at = beat.now;
        node.key_high = node.key_high.max(beat.key_high);
        node.settings_seen = beat.settings_seen;
        let unknown = node.lowest_locked.iter().min().copied();
        node.lock_floor = beat.lock_floor.min(unknown.unwrap_or(beat.lock_floor));
        node.lowest_locked.push_back(JobKey::new(i64::MAX));
        if node.lowest_locked.len() > BEATS_UNTIL_KNOWN {
            node.lowest_locked.pop_front();
        }
        let is_held = |key: &JobKey| {
            let job = self.jobs.get(key);
            job.is_some_and(|job| job.lock_session == Some(beat.lease.session))
        };
        let listed: Vec<JobKey> = beat.long_held.iter().copied().filter(is_held).collect();
        self.listed.extend(&listed);
        let own = self.jobs.values().filter(|job| job.engine == self.engine);
        let waiting = own.clone().filter(|job| job.state == JobState::Waiting);
        let due = waiting.filter_map(|job| job.due_at);
        let locks = own.clone().filter_map(|job| job.lock_until);
        let next_due_at = due.chain(locks).min();
        let messages = self.messages.values().filter(|row| row.engine == self.engine);
        let mut broadcasts = self.broadcasts.values();
        Ok(Pulse {
            next_due_at,
            engine_jobs_ready: own.clone().any(|job| is_engine_job(job) && is_acquirable(job)),
            nodes: self.nodes(),
            newest_definition: i64::max(
                self.definitions.keys().last().map_or(0, |key| key.raw()),
                self.decisions.keys().last().map_or(0, |key| key.0),
            ),
            has_broadcasts: broadcasts.any(|row| row.engine == self.engine),
            message_expires_at: messages.map(|row| row.expires_at).min(),
            settings_version: self.settings_version,
            listed,
        })
    }

    pub fn describe_node(&mut self, lease: Lease, profile: NodeProfile) -> Result<i64, Error> {
        self.open()?;
        check_order(profile.order)?;
        self.nodes.get_mut(&lease.session).ok_or(Error::Fenced)?.profile = profile;
        Ok(self.raise_settings())
    }

    pub fn fence(&mut self, session: i64, beat: i64) -> Result<bool, Error> {
        self.open()?;
        let is_silent = self.nodes.get(&session).is_some_and(|node| node.beat == beat);
        if is_silent {
            self.remove_node(session);
        }
        Ok(is_silent)
    }

    pub fn leave(&mut self, lease: Lease) -> Result<(), Error> {
        self.open()?;
        self.remove_node(lease.session);
        Ok(())
    }

    pub fn nodes(&self) -> Vec<NodeRow> {
        let mut rows: Vec<NodeRow> = self
            .nodes
            .iter()
            .map(|(session, node)| NodeRow {
                node: NodeNumber(node.number),
                session: *session,
                name: node.name.clone(),
                beat: node.beat,
                seen_at: node.seen_at,
                settings_seen: node.settings_seen,
                profile: node.profile.clone(),
            })
            .collect();
        rows.sort_by_key(|row| row.node);
        rows
    }

    /// Below it nothing of the session that is not listed would be found if it died now.
    pub fn lock_floor(&self, session: i64) -> Option<JobKey> {
        self.nodes.get(&session).map(|node| node.lock_floor)
    }

    pub fn has_session(&self, session: i64) -> bool {
        self.nodes.contains_key(&session)
    }

    /// A lock on `key` was given to the session, or the session has just heard of it.
    pub(crate) fn lower_floor(&mut self, session: i64, key: JobKey) {
        let Some(node) = self.nodes.get_mut(&session) else { return };
        node.lock_floor = node.lock_floor.min(key);
        if let Some(lowest) = node.lowest_locked.back_mut() {
            *lowest = key.min(*lowest);
        }
    }

    fn remove_node(&mut self, session: i64) {
        let Some(node) = self.nodes.remove(&session) else { return };
        let kept = self.number_keys.entry(node.number).or_insert(node.key_high);
        *kept = node.key_high.max(*kept);
        self.lanes.retain(|(of, _), _| *of != session);
        for (key, job) in &mut self.jobs {
            let is_found = *key >= node.lock_floor || self.listed.contains(key);
            if is_found && job.lock_session == Some(session) {
                job.lock_session = None;
            }
        }
    }
}

fn check_order(order: Order) -> Result<(), Error> {
    match order.is_valid() {
        true => Ok(()),
        false => Err(Error::Refused("the step of aging is out of range".into())),
    }
}
