//! The lives of nodes: they start, run, pause, crash and leave.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj::Metrics;
use orloj::node::{CallId, Event, Node};
use orloj_executor::TakerId;
use orloj_interpreter::Delegates;
use orloj_store::Claim;

use super::Violation;
use super::check::Called;
use super::happening::{Answered, Happening, Place};
use super::world::World;
use crate::sim_store::Kind;

/// A node that wants to be woken in the past, and then does nothing, burns its processor. Once is
/// a matter of rounding; so many times in a row are a defect.
const IDLE_WAKES_MAX: u32 = 20;

pub(crate) struct SimNode {
    index: usize,
    name: String,
    pub life: u64,
    pub node: Option<Node>,
    pub offset_ms: i64,
    /// Until then its heartbeats do not get through.
    pub deaf_until_us: i64,
    is_paused: bool,
    /// What arrived while it was paused.
    held: Vec<Happening>,
    is_flush_planned: bool,
    wake_at_us: Option<i64>,
    idle_wakes: u32,
    is_restarting: bool,
    /// Which worker has each stream.
    pub streams: BTreeMap<TakerId, usize>,
    pub calls: BTreeMap<CallId, Called>,
}

struct AllDelegates;

impl Delegates for AllDelegates {
    fn knows(&self, _name: &str) -> bool {
        true
    }
}

impl SimNode {
    pub fn new(index: usize) -> Self {
        Self {
            index,
            name: format!("node-{index}"),
            life: 0,
            node: None,
            offset_ms: 0,
            deaf_until_us: 0,
            is_paused: false,
            held: Vec::new(),
            is_flush_planned: false,
            wake_at_us: None,
            idle_wakes: 0,
            is_restarting: true,
            streams: BTreeMap::new(),
            calls: BTreeMap::new(),
        }
    }

    pub fn is_up(&self) -> bool {
        self.node.is_some()
    }

    /// Can be reached by clients now.
    pub fn is_reachable(&self) -> bool {
        self.is_up() && !self.is_paused
    }

    pub fn place(&self) -> Place {
        Place { node: self.index, life: self.life }
    }

    pub fn claim_name(&self) -> String {
        self.name.clone()
    }
}

impl World<'_> {
    pub(crate) fn is_current(&self, place: Place) -> bool {
        let node = &self.nodes[place.node];
        node.life == place.life && node.is_up()
    }

    pub(crate) fn is_paused(&self, node: usize) -> bool {
        self.nodes[node].is_paused
    }

    pub(crate) fn hold(&mut self, node: usize, what: Happening) {
        self.nodes[node].held.push(what);
    }

    /// Something reaches a node, unless it is gone.
    pub(crate) fn deliver(&mut self, to: Place, event: Event) {
        if !self.is_current(to) {
            return;
        }
        if self.is_paused(to.node) {
            return self.hold(to.node, Happening::Event { to, event: Box::new(event) });
        }
        if let Event::Invoked { call, .. } = &event
            && self.nodes[to.node].calls.remove(call).is_none()
        {
            // It was aborted. Sometimes its end was already on the way.
            if !self.random.chance(100) {
                return;
            }
        }
        self.note(|| format!("{} <- {}", label(to), short(&event)));
        let now = self.clock_of(to.node);
        let node = &mut self.nodes[to.node];
        if let Some(machine) = &mut node.node {
            machine.handle(now, event);
        }
        self.plan_flush(to);
    }

    fn plan_flush(&mut self, of: Place) {
        if !self.nodes[of.node].is_flush_planned {
            self.nodes[of.node].is_flush_planned = true;
            self.after_us(0, 150, Happening::Flush { of });
        }
    }

    pub(crate) fn flush(&mut self, of: Place) -> Result<(), Violation> {
        if !self.is_current(of) {
            return Ok(());
        }
        if self.is_paused(of.node) {
            self.hold(of.node, Happening::Flush { of });
            return Ok(());
        }
        let now = self.clock_of(of.node);
        let node = &mut self.nodes[of.node];
        node.is_flush_planned = false;
        let Some(machine) = &mut node.node else { return Ok(()) };
        let actions = machine.flush(now);
        let wake_at = machine.wake_at();
        let is_idle = actions.is_empty();
        self.perform_all(of, actions)?;
        if self.is_current(of) {
            self.plan_wake(of, wake_at, is_idle)?;
        }
        Ok(())
    }

    fn plan_wake(
        &mut self,
        of: Place,
        wake_at: Option<orloj_types::Timestamp>,
        is_idle: bool,
    ) -> Result<(), Violation> {
        let Some(wake_at) = wake_at else { return Ok(()) };
        let is_past = wake_at <= self.clock_of(of.node);
        let mut at_us = self.world_time_of(of.node, wake_at);
        let node = &mut self.nodes[of.node];
        if is_past {
            // Time passes between two turns of any loop.
            at_us = self.now_us + 1_000;
            node.idle_wakes = if is_idle { node.idle_wakes + 1 } else { 0 };
            if node.idle_wakes > IDLE_WAKES_MAX {
                let message = format!("{} is awake all the time and does nothing", node.name);
                return Err(Violation::new("spin", message));
            }
        } else {
            node.idle_wakes = 0;
        }
        if node.wake_at_us.is_none_or(|planned| at_us < planned || planned <= self.now_us) {
            node.wake_at_us = Some(at_us);
            self.add(at_us, Happening::Wake { of });
        }
        Ok(())
    }

    pub(crate) fn wake(&mut self, of: Place) -> Result<(), Violation> {
        // Only the entry planned last counts.
        if !self.is_current(of) || self.nodes[of.node].wake_at_us != Some(self.now_us) {
            return Ok(());
        }
        if self.is_paused(of.node) {
            self.hold(of.node, Happening::Wake { of });
            return Ok(());
        }
        self.nodes[of.node].wake_at_us = None;
        let now = self.clock_of(of.node);
        if let Some(machine) = &mut self.nodes[of.node].node {
            machine.handle(now, Event::Tick);
        }
        self.flush(of)
    }

    pub(crate) fn crash(&mut self, node: usize) {
        if self.is_quiet || !self.nodes[node].is_up() {
            return;
        }
        self.note(|| format!("n{node} crashes"));
        self.marks.hit("crash");
        self.end_life(node);
    }

    /// The process is gone, and everything it knew with it.
    pub(crate) fn end_life(&mut self, node: usize) {
        let place = self.nodes[node].place();
        for asked in self.asked.values_mut() {
            if asked.place == place && asked.answer == Answered::NotYet {
                asked.answer = Answered::Unknown;
            }
        }
        let dead = &mut self.nodes[node];
        dead.node = None;
        dead.life += 1;
        dead.is_paused = false;
        dead.held.clear();
        dead.is_flush_planned = false;
        dead.wake_at_us = None;
        dead.calls.clear();
        dead.is_restarting = true;
        let streams = std::mem::take(&mut dead.streams);
        for (_, worker) in streams {
            self.worker_lost(worker);
        }
        self.abandon_polls(place);
        match self.is_quiet {
            true => self.after_us(0, 50_000, Happening::Restart { node }),
            false => self.after_us(20_000, 3_000_000, Happening::Restart { node }),
        }
    }

    pub(crate) fn restart(&mut self, node: usize) -> Result<(), Violation> {
        if self.nodes[node].is_up() {
            return Ok(());
        }
        let life = self.nodes[node].life;
        if self.now_us < self.outage_until_us {
            self.after_us(50_000, 200_000, Happening::Restart { node });
            return Ok(());
        }
        // A node without a fixed name has another one in every life; nobody then knows that the
        // earlier life is over until its heartbeat runs out.
        if life > 0 && self.random.chance(300) {
            self.nodes[node].name = format!("node-{node}-{life}");
        }
        let now = self.clock_of(node);
        let lease = self.join(node)?;
        let config = self.plan.config_of(node);
        let mut machine = Node::new(config, lease, Arc::new(AllDelegates), Metrics::default(), now);
        if let Some(one_in) = self.plan.takes[node].registered {
            machine.register_at_start(self.library.some_deployments(one_in));
        }
        if self.random.chance(500) {
            machine.know_settings(&self.store.stored_settings());
        }
        self.nodes[node].node = Some(machine);
        self.nodes[node].is_restarting = false;
        self.note(|| format!("n{node} is up, session {}", lease.session));
        self.plan_flush(self.nodes[node].place());
        Ok(())
    }

    pub(crate) fn claim_of(&self, node: usize) -> Claim {
        Claim {
            name: self.nodes[node].claim_name(),
            engine: self.plan.config.engine.clone(),
            lanes: self.plan.config.lanes,
            now: self.clock_of(node),
            profile: self.plan.config_of(node).executor.profile(&[]),
        }
    }

    /// The process does not run for a while: what reaches it waits.
    pub(crate) fn pause(&mut self, node: usize) {
        if self.is_quiet || !self.nodes[node].is_reachable() {
            return;
        }
        let ms = self.random.between(50, 3_000);
        self.note(|| format!("n{node} pauses for {ms} ms"));
        self.marks.hit("pause");
        self.nodes[node].is_paused = true;
        self.add(self.now_us + ms * 1_000, Happening::Resume { node });
    }

    pub(crate) fn resume(&mut self, node: usize) {
        if !self.nodes[node].is_paused {
            return;
        }
        self.note(|| format!("n{node} goes on"));
        self.nodes[node].is_paused = false;
        let held = std::mem::take(&mut self.nodes[node].held);
        let place = self.nodes[node].place();
        for (at, what) in (self.now_us..).zip(held) {
            match what {
                // It would be late anyway.
                Happening::Wake { .. } => {}
                what => self.add(at, what),
            }
        }
        self.nodes[node].wake_at_us = None;
        self.plan_flush(place);
    }

    /// Somebody sets the clock.
    pub(crate) fn jump(&mut self, node: usize) {
        if self.is_quiet {
            return;
        }
        let ms = match self.random.chance(500) {
            true => self.random.between(100, 5_000),
            false => -self.random.between(100, 2_000),
        };
        self.note(|| format!("the clock of n{node} jumps by {ms} ms"));
        self.marks.hit("clock jump");
        self.nodes[node].offset_ms += ms;
        self.checker.jumped(node, self.now_us);
        let place = self.nodes[node].place();
        if self.is_current(place) {
            self.nodes[node].wake_at_us = None;
            self.plan_flush(place);
        }
    }

    pub(crate) fn drain(&mut self, node: usize) {
        if self.is_quiet || !self.nodes[node].is_reachable() {
            return;
        }
        self.marks.hit("drain");
        let place = self.nodes[node].place();
        self.deliver(place, Event::Drain);
    }

    /// Its other calls go on: it is fenced in the midst of its work.
    pub(crate) fn deafen(&mut self, node: usize) {
        if self.is_quiet || !self.nodes[node].is_up() {
            return;
        }
        let ms = self.random.between(500, 3_000);
        self.note(|| format!("the heartbeats of n{node} are lost for {ms} ms"));
        self.marks.hit("deafness");
        self.nodes[node].deaf_until_us = self.now_us + ms * 1_000;
    }

    /// In an embedded store a dead process takes its calls with it; in a cluster they may still
    /// arrive.
    pub(crate) fn reaches_store(&self, from: Place) -> bool {
        self.plan.kind == Kind::Cluster || self.is_current(from)
    }

    /// A node that clients can talk to.
    pub(crate) fn some_node(&mut self) -> Option<Place> {
        let reachable: Vec<Place> = self
            .nodes
            .iter()
            // A client does not know that a node is paused.
            .filter(|node| node.is_up())
            .map(SimNode::place)
            .collect();
        self.random.pick(&reachable).copied()
    }
}

pub(crate) fn label(place: Place) -> String {
    format!("n{}.{}", place.node, place.life)
}

/// Enough of a value to follow the story.
pub(crate) fn short(value: &impl std::fmt::Debug) -> String {
    let mut text = format!("{value:?}");
    if text.len() > 400 {
        let end = (0..=400).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}
