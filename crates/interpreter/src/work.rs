//! The state of an interpretation; it outlives a turn when foreign code is called.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use orloj_model::{Conditions, ElementIndex, Process};
use orloj_types::{
    DefinitionKey, Document, ElementId, ElementInstanceKey, InstanceKey, JobKey, StoredValue,
    SubscriptionKey,
};
use smallvec::{SmallVec, smallvec};

use crate::afterwards::Afterwards;
use crate::agenda::{Agenda, MemberIndex, Step};
use crate::changes::Changes;
use crate::conditions::Seen;
use crate::failure::Failure;
use crate::farewell::Farewell;
use crate::host::Worked;
use crate::need::{CalledProcess, WantedAsset};
use crate::outcome::{End, EndKind, JobFailure, Outcome, Overtaking, Signal};
use crate::record::Record;
use crate::variable_listeners::News;
use crate::visits::Visits;
use crate::{gathered, multi_instance};

/// Index into the processes of a run.
pub(crate) type ProcessIndex = usize;

/// The instances that a command changes together. One of them is at work, its parts are the
/// fields of the work itself; the others wait in `members`.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) record: Box<Record>,
    pub(crate) changes: Changes,
    /// Set when the instance has ended.
    pub(crate) ended: Option<EndKind>,
    /// Which member is at work.
    at: MemberIndex,
    /// Nearly always one.
    members: SmallVec<[Member; 1]>,
    /// Members whose watched variables may have changed.
    pub(crate) pending: BTreeSet<MemberIndex>,
    /// What members that are watched looked like before.
    pub(crate) seen: BTreeMap<MemberIndex, Seen>,
    /// What variable listeners of members are still to hear.
    pub(crate) news: BTreeMap<MemberIndex, News>,
    /// Variable listeners have heard, and hear nothing more in this command.
    pub(crate) has_listened: bool,
    /// Conditions that have just begun to wait.
    pub(crate) fresh: Vec<(MemberIndex, SubscriptionKey)>,
    /// The code of the error that was caught last, until its event is there.
    pub(crate) caught: Option<Arc<str>>,
    /// Listeners that wait for the end of the command.
    pub(crate) afterwards: VecDeque<(MemberIndex, Box<Afterwards>)>,
    /// How many events of members their listeners were told.
    pub(crate) told: BTreeMap<MemberIndex, usize>,
    /// The element instance that has something to tell and goes on afterwards.
    pub(crate) news_from: Option<ElementInstanceKey>,
    /// What the worker did that the command comes from.
    pub(crate) worker: Option<Worked>,
    /// The element that a token has left last.
    pub(crate) last_left: Option<ElementId>,
    /// Calls of foreign code so far that belong to a scope and not to a visit.
    pub(crate) calls: u32,
    /// Element instances whose listeners of the end were called before they were ended.
    pub(crate) said_end: BTreeSet<ElementInstanceKey>,
    /// Those whose tokens end at the save point after them.
    pub(crate) ends_here: BTreeSet<ElementInstanceKey>,
    /// Of element instances that were ended from outside.
    pub(crate) farewells: Vec<(MemberIndex, Box<Farewell>)>,
    /// Variables that end with the command, and what they hide.
    pub(crate) transients: Vec<Transient>,
    /// The record as it was, for a command that fails a job when it fails itself.
    pub(crate) before: Option<Arc<Record>>,
    /// What is done first.
    pub(crate) beginning: Beginning,
    /// The command's job has failed, and this is all that is done about it.
    pub(crate) failed: Option<JobFailure>,
    pub(crate) agenda: Agenda,
    /// Elements entered so far.
    pub(crate) visits: Visits,
    /// What the instances of multi-instance bodies are made of, as this command found it.
    pub(crate) items: BTreeMap<(MemberIndex, ElementInstanceKey), multi_instance::Found>,
    /// How many instances of bodies have ended before the last.
    pub(crate) checks: BTreeMap<(MemberIndex, ElementInstanceKey), Vec<u32>>,
    /// Results of instances that are not yet written to their body.
    pub(crate) gathered: BTreeMap<(MemberIndex, ElementInstanceKey), Vec<gathered::Pending>>,
    /// Scopes that a token has left since the inclusive joins in them were last looked for.
    pub(crate) left: BTreeSet<(MemberIndex, ElementInstanceKey)>,
    /// Tokens at inclusive joins that may wait for nobody any more.
    pub(crate) joins: BTreeSet<(MemberIndex, ElementInstanceKey)>,
    pub(crate) signals: Vec<Signal>,
    /// Definitions that were asked for.
    pub(crate) called: Vec<(CalledProcess, Option<(DefinitionKey, ProcessIndex)>)>,
    /// Deployed files that were asked for, and their keys.
    pub(crate) assets: BTreeMap<WantedAsset, Option<i64>>,
    /// Instances that were asked for and do not exist.
    pub(crate) absent: BTreeSet<InstanceKey>,
}

/// What a work begins with, once everything that it touches for certain is there.
#[derive(Debug)]
pub(crate) enum Beginning {
    /// What the command says.
    Command,
    /// The command's job needs a lock first: all it does is to become ready.
    Ready(JobKey),
    /// The command's job has failed.
    Failed(JobKey, Box<Failure>),
    /// It has begun.
    Over,
}

#[derive(Debug)]
pub(crate) struct Transient {
    member: MemberIndex,
    scope: ElementInstanceKey,
    name: Arc<str>,
    value: StoredValue,
    before: Option<StoredValue>,
}

/// An instance that takes part.
#[derive(Debug)]
struct Member {
    process: ProcessIndex,
    /// Whether the process has events that watch variables.
    is_watched: bool,
    is_new: bool,
    /// What hears of variables has been told of those it was started with.
    is_known: bool,
    /// Those of the member at work are fields of the work itself.
    parts: Option<Box<Parts>>,
}

/// Of an instance that is not at work now.
#[derive(Debug)]
struct Parts {
    record: Box<Record>,
    changes: Changes,
    ended: Option<EndKind>,
}

impl Work {
    pub(crate) fn new(mut record: Box<Record>, process: &Process, is_new: bool) -> Self {
        let (mut seen, mut pending) = (BTreeMap::new(), BTreeSet::new());
        if has_watchers(process) {
            record.variables.note_writes();
            seen.insert(0, record.variables.clone());
            pending.extend(is_heard(&record, process, is_new).then_some(0));
        }
        Self {
            record,
            changes: Changes::default(),
            ended: None,
            at: 0,
            members: smallvec![Member {
                process: 0,
                is_watched: has_watchers(process),
                is_new,
                is_known: false,
                parts: None,
            }],
            pending,
            seen,
            news: BTreeMap::new(),
            has_listened: false,
            fresh: Vec::new(),
            caught: None,
            afterwards: VecDeque::new(),
            told: BTreeMap::new(),
            news_from: None,
            worker: None,
            last_left: None,
            calls: 0,
            said_end: BTreeSet::new(),
            ends_here: BTreeSet::new(),
            farewells: Vec::new(),
            transients: Vec::new(),
            before: None,
            beginning: Beginning::Command,
            failed: None,
            agenda: Agenda::new(process.semantics.walk),
            visits: Visits::default(),
            items: BTreeMap::new(),
            checks: BTreeMap::new(),
            gathered: BTreeMap::new(),
            left: BTreeSet::new(),
            joins: BTreeSet::new(),
            signals: Vec::new(),
            called: Vec::new(),
            assets: BTreeMap::new(),
            absent: BTreeSet::new(),
        }
    }

    /// The member at work, and the process it is an instance of.
    pub(crate) fn at(&self) -> (MemberIndex, ProcessIndex) {
        (self.at, self.members[self.at].process)
    }

    /// Whether the command has started the instance at work.
    pub(crate) fn is_new(&self) -> bool {
        self.members[self.at].is_new
    }

    /// The same, once.
    pub(crate) fn take_new(&mut self) -> bool {
        !std::mem::replace(&mut self.members[self.at].is_known, true) && self.is_new()
    }

    /// Adds a step for the instance at work.
    pub(crate) fn push(&mut self, step: Step) {
        self.agenda.push(self.at, step);
    }

    pub(crate) fn push_next(&mut self, step: Step) {
        self.agenda.push_next(self.at, step);
    }

    pub(crate) fn push_turn(&mut self, step: Step) {
        self.agenda.push_turn(self.at, step);
    }

    pub(crate) fn occurs(&self, host: ElementInstanceKey, event: ElementIndex) -> bool {
        self.agenda.occurs(self.at, host, event)
    }

    pub(crate) fn switch(&mut self, to: MemberIndex) {
        if to == self.at {
            return;
        }
        let Some(mut parts) = self.members[to].parts.take() else { return };
        std::mem::swap(&mut self.record, &mut parts.record);
        std::mem::swap(&mut self.changes, &mut parts.changes);
        std::mem::swap(&mut self.ended, &mut parts.ended);
        self.members[self.at].parts = Some(parts);
        self.at = to;
    }

    /// Whether variables of the instance at work are watched.
    pub(crate) fn watches(&self) -> bool {
        self.members[self.at].is_watched
    }

    /// Another instance takes part.
    pub(crate) fn join(
        &mut self,
        mut record: Box<Record>,
        process: &Process,
        index: ProcessIndex,
        is_new: bool,
    ) -> MemberIndex {
        if has_watchers(process) {
            let member = self.members.len();
            record.variables.note_writes();
            self.seen.insert(member, record.variables.clone());
            self.pending.extend(is_heard(&record, process, is_new).then_some(member));
        }
        let parts = Parts { record, changes: Changes::default(), ended: None };
        self.members.push(Member {
            process: index,
            is_watched: has_watchers(process),
            is_new,
            is_known: false,
            parts: Some(Box::new(parts)),
        });
        self.members.len() - 1
    }

    pub(crate) fn member(&self, instance: InstanceKey) -> Option<MemberIndex> {
        if self.record.instance == instance {
            return Some(self.at);
        }
        let is_it = |member: &Member| {
            member.parts.as_ref().is_some_and(|parts| parts.record.instance == instance)
        };
        self.members.iter().position(is_it)
    }

    /// The member at work is an instance of another process from now on.
    pub(crate) fn adopt(&mut self, processes: &[Arc<Process>], index: ProcessIndex) {
        let member = &mut self.members[self.at];
        member.process = index;
        member.is_watched = has_watchers(&processes[index]);
        if member.is_watched {
            self.record.variables.note_writes();
        }
        self.seen.insert(self.at, self.record.variables.clone());
    }

    /// The record of a member, at work or not, and what has changed besides it.
    pub(crate) fn parts_of(&mut self, member: MemberIndex) -> (&mut Record, &mut Changes) {
        match &mut self.members[member].parts {
            Some(parts) => (&mut parts.record, &mut parts.changes),
            None => (&mut self.record, &mut self.changes),
        }
    }

    /// The record of a member that is not at work.
    pub(crate) fn record_of(&self, member: MemberIndex) -> &Record {
        match &self.members[member].parts {
            Some(parts) => &parts.record,
            None => &self.record,
        }
    }

    /// A variable that ends with the command.
    pub(crate) fn set_transient(
        &mut self,
        scope: ElementInstanceKey,
        name: &Arc<str>,
        value: StoredValue,
    ) {
        let own = self.record.variables.get_or_default(scope);
        let before = own.insert(name.clone(), value.clone());
        let name = name.clone();
        self.transients.push(Transient { member: self.at, scope, name, value, before });
    }

    /// Whether a variable of the instance at work ends with the command.
    pub(crate) fn is_transient(&self, name: &Arc<str>) -> bool {
        self.transients.iter().any(|known| known.member == self.at && known.name == *name)
    }

    /// A transient variable ends before the command does.
    pub(crate) fn end_transient(&mut self, scope: ElementInstanceKey, name: &Arc<str>) {
        let is_it = |known: &Transient| {
            known.member == self.at && known.scope == scope && known.name == *name
        };
        if let Some(place) = self.transients.iter().rposition(is_it) {
            let transient = self.transients.remove(place);
            uncover(&mut self.record, transient);
        }
    }

    /// The variables of one scope have become those of another.
    pub(crate) fn move_transients(&mut self, from: ElementInstanceKey, to: ElementInstanceKey) {
        for transient in &mut self.transients {
            if transient.member == self.at && transient.scope == from {
                transient.scope = to;
            }
        }
    }

    fn end_transients(&mut self) {
        while let Some(transient) = self.transients.pop() {
            self.switch(transient.member);
            uncover(&mut self.record, transient);
        }
    }

    /// Closes the books: the outcome of the command's own instance with those of the others.
    pub(crate) fn outcome(mut self: Box<Self>, processes: &[Arc<Process>]) -> Box<Outcome> {
        self.end_transients();
        self.switch(0);
        let mut members = self.members.into_iter();
        let own = members.next().expect("the command's own instance takes part");
        let process = &processes[own.process];
        let first = part(self.record, process, self.changes, self.ended, own.is_new);
        let mut first = Box::new(first);
        first.failed = self.failed;
        first.signals = self.signals;
        let others = members.filter_map(|Member { process, is_new, parts, .. }| {
            let Parts { record, changes, ended } = *parts?;
            let has_part = is_new || ended.is_some() || changes.any();
            has_part.then(|| part(record, &processes[process], changes, ended, is_new))
        });
        first.others = others.collect();
        first
    }
}

/// What a transient variable hid is seen again. One that was set since is there to stay.
fn uncover(record: &mut Record, transient: Transient) {
    let Transient { scope, name, value, before, .. } = transient;
    let Some(own) = record.variables.get_mut(&scope) else { return };
    if own.get(&name) != Some(&value) {
        return;
    }
    match before {
        Some(value) => {
            own.insert(name, value);
        }
        None => {
            own.remove(&name);
        }
    }
    if own.is_empty() {
        record.variables.remove(&scope);
    }
}

/// Whether variables of its instances are watched.
fn has_watchers(process: &Process) -> bool {
    let contents = process.contents;
    contents.variable_events
        || contents.conditional_events && process.semantics.conditions == Conditions::OnChange
}

/// Whether the variables that an instance was started with are news to its listeners.
fn is_heard(record: &Record, process: &Process, is_new: bool) -> bool {
    is_new && process.contents.variable_events && !record.variables.is_empty()
}

fn part(
    mut record: Box<Record>,
    process: &Process,
    mut changes: Changes,
    ended: Option<EndKind>,
    is_new: bool,
) -> Outcome {
    record.variables.end_notes();
    let jobs = changes.take_jobs(&record, process);
    let (instance, definition) = (record.instance, record.definition);
    let overtaking = changes.overtaking.and_then(|by| {
        record.exclusive.ticket(by)?;
        Some(Overtaking { holder: record.exclusive.holder?, by })
    });
    let end = ended.map(|how| {
        let variables = record.variables.remove(&record.instance.root_scope());
        End {
            how,
            variables: Document(variables.unwrap_or_default()),
            business_key: record.business_key.clone(),
            caller: record.caller,
        }
    });
    Outcome {
        instance,
        definition,
        is_new,
        record: end.is_none().then_some(record),
        end,
        jobs,
        overtaking,
        user_tasks: changes.user_tasks,
        incidents: changes.incidents,
        subscriptions: changes.subscriptions,
        events: changes.events,
        signals: Vec::new(),
        failed: None,
        others: Vec::new(),
    }
}
