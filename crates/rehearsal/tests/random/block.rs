//! Random processes as trees of blocks: each has one way in and one way out, so that every join
//! gets the tokens it waits for.

use proptest::prelude::*;

pub type Blocks = Vec<Block>;

#[derive(Clone, Debug)]
pub enum Block {
    Task(Task),
    Catch(Event),
    Throw(Thrown),
    /// Makes a condition true or false.
    Assign(u8, bool),
    /// The first way is the default; the others are taken when theirs is true.
    Exclusive(Vec<(bool, Blocks)>),
    Inclusive(Vec<(bool, Blocks)>),
    Parallel(Vec<Blocks>),
    /// After an event-based gateway.
    Race(Vec<(Event, Blocks)>),
    Sub(Sub),
    Guarded(Guarded),
    Multi {
        sequential: bool,
        count: u8,
        inside: Option<Blocks>,
    },
    Call(Called),
    /// Something with a handler, blocks after it, and an event that undoes.
    Undone {
        inside: Option<Blocks>,
        handler: Task,
        after: Blocks,
    },
    /// An event that throws a link, and the one that catches it.
    Link,
    /// A transaction that may end with its cancellation, and the way that leads on then.
    Transaction {
        inside: Blocks,
        cancels: bool,
        way: Blocks,
    },
    /// Tasks that begin all at once, by choice and not by a flow.
    AdHoc(Vec<Task>),
}

#[derive(Clone, Copy, Debug)]
pub enum Task {
    Plain,
    User,
    Worker,
}

#[derive(Clone, Copy, Debug)]
pub enum Event {
    Timer { hours: u8 },
    Message(u8),
    Signal(u8),
    Condition(u8),
}

#[derive(Clone, Copy, Debug)]
pub enum Thrown {
    Nothing,
    Signal(u8),
    Escalation,
}

/// How the inside of a scope ends.
#[derive(Clone, Copy, Debug)]
pub enum Ending {
    Plain,
    Terminate,
    Error,
    Escalation,
    /// Only in a transaction.
    Cancel,
}

#[derive(Clone, Copy, Debug)]
pub enum Called {
    Waits,
    Fails,
}

/// A subprocess, perhaps with an event subprocess in it.
#[derive(Clone, Debug)]
pub struct Sub {
    pub inside: Blocks,
    pub ending: Ending,
    pub events: Option<(Trigger, bool, Blocks)>,
}

/// Something with a boundary event.
#[derive(Clone, Debug)]
pub struct Guarded {
    pub host: Host,
    pub trigger: Trigger,
    pub interrupting: bool,
    pub way: Blocks,
}

#[derive(Clone, Debug)]
pub enum Host {
    User,
    Worker,
    Sub(Sub),
    Call(Called),
}

#[derive(Clone, Copy, Debug)]
pub enum Trigger {
    Event(Event),
    Error,
    Escalation,
}

pub fn process() -> impl Strategy<Value = Blocks> {
    blocks(block())
}

fn block() -> BoxedStrategy<Block> {
    let leaf = prop_oneof![
        4 => task().prop_map(Block::Task),
        2 => event().prop_map(Block::Catch),
        1 => thrown().prop_map(Block::Throw),
        1 => called().prop_map(Block::Call),
        1 => Just(Block::Link),
        1 => proptest::collection::vec(task(), 1..4).prop_map(Block::AdHoc),
        2 => (1..3_u8, any::<bool>()).prop_map(|(n, holds)| Block::Assign(n, holds)),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        let inner = inner.boxed();
        let ways = || proptest::collection::vec((any::<bool>(), blocks(inner.clone())), 2..4);
        let sub = || sub(inner.clone());
        prop_oneof![
            ways().prop_map(Block::Exclusive),
            ways().prop_map(Block::Inclusive),
            proptest::collection::vec(blocks(inner.clone()), 2..4).prop_map(Block::Parallel),
            proptest::collection::vec((event(), blocks(inner.clone())), 2..4).prop_map(Block::Race),
            sub().prop_map(Block::Sub),
            guarded(inner.clone()).prop_map(Block::Guarded),
            (any::<bool>(), 0..4_u8, proptest::option::of(blocks(inner.clone())))
                .prop_map(|(sequential, count, inside)| Block::Multi { sequential, count, inside }),
            (proptest::option::of(blocks(inner.clone())), task(), blocks(inner.clone()))
                .prop_map(|(inside, handler, after)| Block::Undone { inside, handler, after }),
            (blocks(inner.clone()), any::<bool>(), blocks(inner.clone()))
                .prop_map(|(inside, cancels, way)| Block::Transaction { inside, cancels, way }),
        ]
    })
    .boxed()
}

fn blocks(block: impl Strategy<Value = Block> + 'static) -> BoxedStrategy<Blocks> {
    proptest::collection::vec(block, 1..3).boxed()
}

fn sub(inner: BoxedStrategy<Block>) -> impl Strategy<Value = Sub> {
    let ending = prop_oneof![
        4 => Just(Ending::Plain),
        1 => Just(Ending::Terminate),
        1 => Just(Ending::Error),
        1 => Just(Ending::Escalation),
    ];
    let events = proptest::option::of((trigger(), any::<bool>(), blocks(inner.clone())));
    (blocks(inner), ending, events).prop_map(|(inside, ending, events)| {
        let events = events.map(|(trigger, interrupting, way)| {
            // An error always interrupts.
            (trigger, interrupting || matches!(trigger, Trigger::Error), way)
        });
        Sub { inside, ending, events }
    })
}

fn guarded(inner: BoxedStrategy<Block>) -> impl Strategy<Value = Guarded> {
    let host = prop_oneof![
        Just(Host::User),
        Just(Host::Worker),
        sub(inner.clone()).prop_map(Host::Sub),
        called().prop_map(Host::Call),
    ];
    (host, trigger(), any::<bool>(), blocks(inner)).prop_map(
        |(host, trigger, interrupting, way)| {
            // Only what can throw an escalation has an event for it.
            let trigger = match (&host, trigger) {
                (Host::User | Host::Worker, Trigger::Escalation) => Trigger::Error,
                (_, trigger) => trigger,
            };
            let interrupting = interrupting || matches!(trigger, Trigger::Error);
            Guarded { host, trigger, interrupting, way }
        },
    )
}

fn task() -> impl Strategy<Value = Task> {
    prop_oneof![Just(Task::Plain), Just(Task::User), Just(Task::Worker)]
}

fn called() -> impl Strategy<Value = Called> {
    prop_oneof![3 => Just(Called::Waits), 1 => Just(Called::Fails)]
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        (1..4_u8).prop_map(|hours| Event::Timer { hours }),
        (1..3_u8).prop_map(Event::Message),
        (1..3_u8).prop_map(Event::Signal),
        (1..3_u8).prop_map(Event::Condition),
    ]
}

fn thrown() -> impl Strategy<Value = Thrown> {
    prop_oneof![Just(Thrown::Nothing), (1..3_u8).prop_map(Thrown::Signal), Just(Thrown::Escalation),]
}

fn trigger() -> impl Strategy<Value = Trigger> {
    prop_oneof![
        3 => event().prop_map(Trigger::Event),
        1 => Just(Trigger::Error),
        1 => Just(Trigger::Escalation),
    ]
}
