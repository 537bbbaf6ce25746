//! What the dialects mean by the larger constructs: loops, undoing, gateways, terminating.

/// Multi-instance activities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loops {
    /// What the first instance counts as.
    pub counted_from: u32,
    /// The body has `nrOfInstances`, `nrOfActiveInstances` and `nrOfCompletedInstances`. Without
    /// them only the completion condition is told the numbers.
    pub counters: bool,
    /// In a sequence counter and item belong to the body, not to the instance.
    pub sequence_on_body: bool,
    /// The completion condition is asked where the instance's own variables are seen.
    pub condition_sees_item: bool,
    /// A parallel instance that ends while others are at work leaves a job behind that looks
    /// whether the body is done.
    pub checks_by_job: bool,
    /// Listeners of the start and end are called for the body too.
    pub body_listens: bool,
}

impl Loops {
    pub const ZEEBE: Self = Self {
        counted_from: 1,
        counters: false,
        sequence_on_body: false,
        condition_sees_item: true,
        checks_by_job: false,
        body_listens: false,
    };
    pub const CAMUNDA: Self = Self {
        counted_from: 0,
        counters: true,
        sequence_on_body: true,
        condition_sees_item: false,
        checks_by_job: false,
        body_listens: false,
    };
    pub const FLOWABLE: Self = Self {
        counted_from: 0,
        counters: true,
        sequence_on_body: false,
        condition_sees_item: false,
        checks_by_job: true,
        body_listens: true,
    };
}

/// Compensation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undoing {
    pub instances: UndoneInstances,
    /// The event that throws goes on only when everything is undone. Otherwise the handlers
    /// belong to the instance as a whole.
    pub waits: bool,
    /// The boundary event of what is undone is a visit of its own.
    pub shows_events: bool,
    /// An activity that is named is looked for in the whole instance, not only in the scope.
    pub reaches_everywhere: bool,
    /// A handler waits for events: as a receive task for its message, as a subprocess for the
    /// start events of its event subprocesses.
    pub handlers_hear: bool,
}

impl Undoing {
    pub const ZEEBE: Self = Self {
        instances: UndoneInstances::Whole,
        waits: true,
        shows_events: true,
        reaches_everywhere: false,
        handlers_hear: true,
    };
    pub const CAMUNDA: Self = Self {
        instances: UndoneInstances::Each,
        waits: true,
        shows_events: false,
        reaches_everywhere: false,
        handlers_hear: false,
    };
    pub const FLOWABLE: Self = Self {
        instances: UndoneInstances::EachBeside,
        waits: false,
        shows_events: false,
        reaches_everywhere: true,
        handlers_hear: true,
    };
}

/// What of a multi-instance activity its handler undoes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndoneInstances {
    /// All at once, when the body is completed.
    Whole,
    /// Each of them; they can be undone when the body is completed.
    Each,
    /// Each of them, as soon as it is completed.
    EachBeside,
}

/// What catching events end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Catching {
    /// A boundary event that catches an error takes its turn behind the tokens that were on
    /// their way before.
    pub boundary_takes_turn: bool,
    /// An event subprocess that catches an error ends only the branch that threw it, unless it
    /// belongs to the process itself; what it ends counts as completed.
    pub spares_siblings: bool,
    /// The timer of an event subprocess goes on repeating although it interrupts.
    pub interrupts_repeatedly: bool,
    /// The boundary events of a scope and its event subprocesses are asked together, the exact
    /// code first, and what an event subprocess has interrupted passes nothing on outward.
    pub by_scope: bool,
    /// Event subprocesses begin to wait when the start event of their scope is done, not before.
    pub after_start: bool,
    /// A signal is heard in the instance that throws it while the throwing event is still there,
    /// behind the tokens that were on their way before.
    pub signals_take_turn: bool,
    /// An error or escalation that is caught by a caller passes the variables of the instances it
    /// leaves on to their callers.
    pub passes_outputs: bool,
    /// A signal is heard before the throwing event is done, which it may end.
    pub signals_come_first: bool,
    /// An event subprocess catches once more what comes out of an instance that is called in it.
    pub catches_own_calls: bool,
}

impl Catching {
    pub const ZEEBE: Self = Self {
        boundary_takes_turn: true,
        spares_siblings: false,
        interrupts_repeatedly: false,
        by_scope: true,
        after_start: true,
        signals_take_turn: true,
        passes_outputs: false,
        signals_come_first: false,
        catches_own_calls: false,
    };
    pub const CAMUNDA: Self = Self {
        boundary_takes_turn: false,
        spares_siblings: false,
        interrupts_repeatedly: false,
        by_scope: false,
        after_start: false,
        signals_take_turn: false,
        passes_outputs: true,
        signals_come_first: true,
        catches_own_calls: true,
    };
    pub const FLOWABLE: Self = Self {
        boundary_takes_turn: true,
        spares_siblings: true,
        interrupts_repeatedly: true,
        by_scope: false,
        after_start: false,
        signals_take_turn: false,
        passes_outputs: false,
        signals_come_first: false,
        catches_own_calls: false,
    };
}

/// Gateways, links, terminate end events, and how tokens leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choices {
    pub event_gateway: EventGateways,
    /// An inclusive join is asked again when other tokens have gone elsewhere.
    pub join_reconsiders: bool,
    /// An inclusive join with as many tokens as incoming flows goes on, whoever may still come.
    pub join_is_counted: bool,
    /// A subprocess that its own terminate end event ends counts as terminated.
    pub terminates_scope: bool,
    /// A save point after an element comes before its end: it is open, and its listeners are not
    /// called, until the job runs. Of scopes, joins and loops it comes after it.
    pub ends_by_job: bool,
    /// Events and gateways count as completed even when they are ended from outside.
    pub events_complete: bool,
    /// Which flows are taken is settled before the save point after an element, and each of them
    /// has a job of its own.
    pub flows_before_save_point: bool,
    /// Link events are drawn only: history does not know them.
    pub hides_links: bool,
    /// A called instance has the variable for who started it too.
    pub called_have_initiator: bool,
}

impl Choices {
    pub const ZEEBE: Self = Self {
        event_gateway: EventGateways::Completed,
        join_reconsiders: false,
        join_is_counted: false,
        terminates_scope: false,
        ends_by_job: false,
        events_complete: false,
        flows_before_save_point: false,
        hides_links: false,
        called_have_initiator: false,
    };
    pub const CAMUNDA: Self = Self {
        event_gateway: EventGateways::Terminated,
        join_reconsiders: false,
        join_is_counted: true,
        terminates_scope: false,
        ends_by_job: false,
        events_complete: false,
        flows_before_save_point: true,
        hides_links: true,
        called_have_initiator: true,
    };
    pub const FLOWABLE: Self = Self {
        event_gateway: EventGateways::Left,
        join_reconsiders: true,
        join_is_counted: false,
        terminates_scope: true,
        ends_by_job: true,
        events_complete: true,
        flows_before_save_point: false,
        hides_links: false,
        called_have_initiator: false,
    };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventGateways {
    /// It waits for its events, and is completed by the first.
    Completed,
    /// It waits for its events, and is terminated by the first.
    Terminated,
    /// It is left at once; its events wait, and the first ends the others.
    Left,
}
