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
    /// Text in place of the items names the variable that has them.
    pub items_by_name: bool,
    /// What the loop writes is heard by conditions when a token that is in the body itself goes on,
    /// not before.
    pub writes_are_held: bool,
}

impl Loops {
    pub const ZEEBE: Self = Self {
        counted_from: 1,
        counters: false,
        sequence_on_body: false,
        condition_sees_item: true,
        checks_by_job: false,
        body_listens: false,
        items_by_name: false,
        writes_are_held: false,
    };
    pub const CAMUNDA: Self = Self {
        counted_from: 0,
        counters: true,
        sequence_on_body: true,
        condition_sees_item: true,
        checks_by_job: false,
        body_listens: false,
        items_by_name: true,
        writes_are_held: true,
    };
    pub const FLOWABLE: Self = Self {
        counted_from: 0,
        counters: true,
        sequence_on_body: false,
        condition_sees_item: false,
        checks_by_job: true,
        body_listens: true,
        items_by_name: true,
        writes_are_held: false,
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
    /// An event that names nothing reaches what is around its event subprocess.
    pub reaches_around: bool,
    /// What was done in a scope within a completed scope is undone with the outer one, not only
    /// when it is named itself.
    pub reaches_within: bool,
    /// A transaction in which nothing can be undone cannot be cancelled.
    pub cancels_what_it_undoes: bool,
    /// An activity whose compensation event leads to no handler cannot be completed.
    pub events_need_handler: bool,
    /// The token that comes to a handler by a flow ends there.
    pub handlers_lead_nowhere: bool,
    /// A subprocess is undone by a handler of its own too, not only by those inside it.
    pub scopes_have_handlers: bool,
    /// An event that names a subprocess with a handler means that handler, not those inside.
    pub name_means_handler: bool,
}

impl Undoing {
    pub const ZEEBE: Self = Self {
        instances: UndoneInstances::Whole,
        waits: true,
        shows_events: true,
        reaches_everywhere: false,
        handlers_hear: true,
        reaches_around: true,
        reaches_within: true,
        cancels_what_it_undoes: false,
        events_need_handler: false,
        handlers_lead_nowhere: false,
        scopes_have_handlers: true,
        name_means_handler: false,
    };
    pub const CAMUNDA: Self = Self {
        instances: UndoneInstances::Each,
        waits: true,
        shows_events: false,
        reaches_everywhere: false,
        handlers_hear: false,
        reaches_around: true,
        reaches_within: true,
        cancels_what_it_undoes: false,
        events_need_handler: false,
        handlers_lead_nowhere: false,
        scopes_have_handlers: true,
        name_means_handler: true,
    };
    pub const FLOWABLE: Self = Self {
        instances: UndoneInstances::EachBeside,
        waits: false,
        shows_events: false,
        reaches_everywhere: true,
        handlers_hear: true,
        reaches_around: false,
        reaches_within: false,
        cancels_what_it_undoes: true,
        events_need_handler: true,
        handlers_lead_nowhere: true,
        scopes_have_handlers: false,
        name_means_handler: false,
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
    /// So does one that an escalation interrupts its host with.
    pub escalations_take_turn: bool,
    /// So does one of a call activity that catches an error of the instance that was called.
    pub calls_take_turn: bool,
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
    /// An event subprocess that an escalation begins interrupts nothing, whatever its start event
    /// says.
    pub escalations_interrupt_nothing: bool,
    /// What a token changes when it comes to rest or ends is heard by no condition.
    pub last_changes_unheard: bool,
    /// A boundary event that waits for its turn with one error cannot catch another: the command
    /// fails.
    pub catches_one_error: bool,
    /// The boundary events of an element are not there for the errors of its own listeners.
    pub listeners_throw_outside: bool,
    /// A call activity maps failures of code in the instance that it has called.
    pub callers_map_failures: bool,
    /// An event subprocess waits for the messages, signals and timers of event subprocesses that
    /// lie in it.
    pub waits_in_event_subprocesses: bool,
    /// An element whose own work is done hears nothing more, though what follows its work has
    /// failed and waits for a person.
    pub done_hear_nothing: bool,
    /// Events catch failures too, by the class that their code names.
    pub failures_by_class: bool,
    /// Event subprocesses wait only while something else is at work in their scope: when a token
    /// ends there and leaves none behind, they wait no longer. In a scope with boundary events and
    /// in one that is an instance of a loop they go on, and keep it open.
    pub waits_beside_work: bool,
    /// What interrupts a scope from within ends the waiting of the scope's boundary events too.
    pub interrupts_boundaries: bool,
    /// A variable that is taken away and set again has changed to those that watch it; otherwise it
    /// is new.
    pub set_again_is_update: bool,
}

impl Catching {
    pub const ZEEBE: Self = Self {
        boundary_takes_turn: true,
        escalations_take_turn: true,
        calls_take_turn: false,
        spares_siblings: false,
        interrupts_repeatedly: false,
        by_scope: true,
        after_start: true,
        signals_take_turn: true,
        passes_outputs: false,
        signals_come_first: false,
        catches_own_calls: false,
        escalations_interrupt_nothing: false,
        last_changes_unheard: false,
        catches_one_error: false,
        listeners_throw_outside: false,
        callers_map_failures: false,
        waits_in_event_subprocesses: true,
        done_hear_nothing: true,
        failures_by_class: false,
        waits_beside_work: false,
        interrupts_boundaries: false,
        set_again_is_update: false,
    };
    pub const CAMUNDA: Self = Self {
        boundary_takes_turn: false,
        escalations_take_turn: false,
        calls_take_turn: false,
        spares_siblings: false,
        interrupts_repeatedly: false,
        by_scope: false,
        after_start: false,
        signals_take_turn: false,
        passes_outputs: true,
        signals_come_first: true,
        catches_own_calls: true,
        escalations_interrupt_nothing: false,
        last_changes_unheard: true,
        catches_one_error: false,
        listeners_throw_outside: false,
        callers_map_failures: false,
        waits_in_event_subprocesses: true,
        done_hear_nothing: false,
        failures_by_class: true,
        waits_beside_work: false,
        interrupts_boundaries: true,
        set_again_is_update: true,
    };
    pub const FLOWABLE: Self = Self {
        boundary_takes_turn: true,
        escalations_take_turn: false,
        calls_take_turn: true,
        spares_siblings: true,
        interrupts_repeatedly: true,
        by_scope: false,
        after_start: false,
        signals_take_turn: false,
        passes_outputs: false,
        signals_come_first: false,
        catches_own_calls: false,
        escalations_interrupt_nothing: true,
        last_changes_unheard: false,
        catches_one_error: true,
        listeners_throw_outside: true,
        callers_map_failures: true,
        waits_in_event_subprocesses: false,
        done_hear_nothing: false,
        failures_by_class: false,
        waits_beside_work: true,
        interrupts_boundaries: true,
        set_again_is_update: false,
    };
}

/// Gateways, links, terminate end events, and how tokens leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choices {
    pub event_gateway: EventGateways,
    pub join_reconsiders: JoinReconsiders,
    /// An inclusive join with as many tokens as incoming flows goes on, whoever may still come.
    pub join_is_counted: bool,
    /// A subprocess that its own terminate end event ends counts as terminated.
    pub terminates_scope: bool,
    /// An end event that terminates or cancels ends what else is in its scope when a token comes to
    /// it, before a save point there; otherwise when its own work begins.
    pub last_ends_clear_scope: bool,
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
    /// History sees the start event of an instance before the save point there, not after it.
    pub starts_are_seen: bool,
    /// A subprocess without a start event cannot be entered; otherwise it is done at once.
    pub subprocesses_need_start: bool,
    /// A gateway that has several flows to choose from takes none that has no condition, unless it
    /// is the default one.
    pub choice_needs_condition: bool,
    /// An exclusive gateway has gone on along its flow before listeners of its end are called: they
    /// are not.
    pub choice_ends_unheard: bool,
    /// A boundary event that a token comes to by a flow cannot be entered.
    pub boundaries_need_event: bool,
}

impl Choices {
    pub const ZEEBE: Self = Self {
        event_gateway: EventGateways::Completed,
        join_reconsiders: JoinReconsiders::WhenWanted,
        join_is_counted: false,
        terminates_scope: false,
        last_ends_clear_scope: false,
        ends_by_job: false,
        events_complete: false,
        flows_before_save_point: false,
        hides_links: false,
        called_have_initiator: false,
        starts_are_seen: false,
        subprocesses_need_start: false,
        choice_needs_condition: true,
        choice_ends_unheard: false,
        boundaries_need_event: false,
    };
    pub const CAMUNDA: Self = Self {
        event_gateway: EventGateways::Terminated,
        join_reconsiders: JoinReconsiders::Never,
        join_is_counted: true,
        terminates_scope: false,
        last_ends_clear_scope: true,
        ends_by_job: false,
        events_complete: false,
        flows_before_save_point: true,
        hides_links: true,
        called_have_initiator: true,
        starts_are_seen: false,
        subprocesses_need_start: false,
        choice_needs_condition: false,
        choice_ends_unheard: false,
        boundaries_need_event: true,
    };
    pub const FLOWABLE: Self = Self {
        event_gateway: EventGateways::Left,
        join_reconsiders: JoinReconsiders::Always,
        join_is_counted: false,
        terminates_scope: true,
        last_ends_clear_scope: false,
        ends_by_job: true,
        events_complete: true,
        flows_before_save_point: false,
        hides_links: false,
        called_have_initiator: false,
        starts_are_seen: true,
        subprocesses_need_start: true,
        choice_needs_condition: false,
        choice_ends_unheard: true,
        boundaries_need_event: false,
    };
}

/// Whether an inclusive join is asked again when other tokens have gone elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinReconsiders {
    Never,
    /// Where the settings say that joins never hang.
    WhenWanted,
    Always,
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
