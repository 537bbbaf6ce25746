//! A process in a line or two.
//!
//! ```text
//! process order, camunda:  start -> pay{delegate Charge, async, retry R3/PT10S} -> x?{paid} -> end paid
//!                          x? -> ask{user} -> end unpaid
//!                          pay @timer(10m) -> sorry{service mail} -> end late
//!                          pay @error(POOR) as poor -> end poor
//! ```
//! The dialect is `zeebe` unless it is named (`camunda`, `flowable`); after it may stand `priority N`,
//! that of all jobs of the process, and `active in 10m`: it is deployed suspended until then. Each
//! line is a chain; an element is defined where it has braces and may be named again without them.
//!
//! | written | element |
//! | --- | --- |
//! | `start`, `start{async}`, `end`, `end NAME` | none start and end events |
//! | `a{service TYPE}` | a task for a worker |
//! | `a{delegate NAME}` | a task for registered code |
//! | `a{user}` | a user task |
//! | `a{script LANGUAGE "SOURCE"}` | a script task; Zeebe knows FEEL only |
//! | `a{expression UEL}` | a service task that is an expression |
//! | `a{builtin KIND, header FIELD = V}` | something that a system brings along: mail, http |
//! | `a{decision ID}` | a task that asks a decision |
//! | `a{timer 10m}` | a timer catch event: a duration as here or in ISO, a date, a repetition, `cron TEXT` |
//! | `x?`, `x?{CONDITION}` | an exclusive gateway; the condition is that of the flow that follows, without one it is the default flow |
//! | `x?[async after]{CONDITION}` | settings of such a gateway, where it is named first |
//! | `f+`, `f+{async}` | a parallel gateway |
//! | `g*`, `g*{CONDITION}` | an inclusive gateway, written as an exclusive one |
//! | `w!` | an event-based gateway: the catch events that follow it race |
//! | `a @timer(10m)` | an interrupting boundary timer of `a`; with `, alongside` it does not interrupt; settings of jobs after commas |
//! | `a @error(CODE)`, `a @error` | an error boundary of `a`; `, code NAME` and `, message NAME` keep them |
//! | `start{message NAME}`, `start{signal NAME}`, `start{timer R3/10s}`, `start{error CODE}`, `start{escalation CODE}`, `start{condition EXPRESSION}` | start events that something sets off; `alongside`: one of an event subprocess that does not interrupt |
//! | `a{message NAME, key EXPRESSION}`, `a{signal NAME}`, `a{condition EXPRESSION}` | catch events |
//! | `a{throw link NAME}` and `b{link NAME}` | a token that comes to `a` goes on at `b` |
//! | `a{receive NAME, key EXPRESSION}` | a receive task |
//! | `a{throw signal NAME}`, `a{throw escalation CODE}`, `a{throw compensation}` | throw events |
//! | `end NAME{signal NAME}`, `…{error CODE}`, `…{escalation CODE}`, `…{terminate}`, `…{compensation}`, `…{cancel}` (in a transaction) | end events that do something |
//! | `a @message(NAME, key EXPRESSION)`, `a @signal(NAME)`, `a @escalation(CODE)`, `a @condition(EXPRESSION)` | boundary events; `alongside` as above |
//! | `a @cancel` | where a cancelled transaction goes on |
//! | `a @compensation -> undo{service TYPE}` | who undoes `a` |
//! | `a{call PROCESS}` | a call activity |
//! | `a{subprocess}` and lines `in a: CHAIN` | an embedded subprocess |
//! | `a{adhoc}` and lines `in a: CHAIN` | an ad-hoc subprocess; `active EXPRESSION` names the elements that it begins with, `until CONDITION` ends it; a chain in it may be one element |
//! | lines `event a: CHAIN` | an event subprocess; `event a in b: CHAIN` one of the subprocess `b` |
//!
//! Inside of a subprocess `a`, `start` and `end` are called `a_start` and `a_end`. An element
//! with `each COLLECTION as ITEM` is done for each item at the same time, with `one by one` in
//! turn. A boundary event is called `a_timer` or `a_error`, or what `as NAME` says. More in braces, after
//! commas: `async`, `async nonexclusive`, `async after`, `async after nonexclusive`, `nonexclusive`
//! (of timers), `retry CYCLE`, `retries N`, `priority N`, `category NAME`, `inner async`,
//! `inner async after` and `inner retry CYCLE` (of what is done for each item), `transactional` (a
//! subprocess), `asynchronously` (a thrown signal is), `assignee NAME`, `header K = V`,
//! `result NAME` (of scripts, expressions and decisions), `stores` (what a script assigns),
//! `withholds` (Flowable's scripts and workers do not get the variables), `shape NAME` and
//! `bound HOW` (of decisions: `deployment`, `version N`, `tag TEXT`),
//! `in NAME = EXPRESSION`, `out NAME = EXPRESSION`, `on EVENT NAME` (a listener: a delegate, in Zeebe
//! the type of a job; the events are `start` and `end`, of user tasks also `create`, `assign`,
//! `complete`, `update` and `delete`). A value in double quotes may hold commas.
//! Expressions are written bare; each dialect gets its own wrapping.

mod drawing;
mod parse;
mod xml;

pub use drawing::{
    Async, Flow, ListenerEvent, Node, NodeKind, Settings, Sketch, SketchError, Trigger,
};
