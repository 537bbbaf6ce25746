use std::sync::Arc;

use orloj_expr::Expression;

use super::event::Timer;
use super::script::Script;

/// Code that is called when something happens to an element, a flow or a user task.
#[derive(Clone, Debug)]
pub struct Listener {
    pub event: ListenerEvent,
    pub code: Code,
    pub fields: Vec<Field>,
    /// Where the value of a script goes.
    pub result_variable: Option<Arc<str>>,
    /// When a [`ListenerEvent::TaskTimeout`] comes.
    pub timeout: Option<Timeout>,
    pub moment: ListenerMoment,
}

/// When a listener is called for its event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListenerMoment {
    #[default]
    AtOnce,
    /// When the command has nothing else to do. What it gives is dropped, what it fails with is
    /// the command's failure.
    BeforeCommit,
    /// The same, but its failure is nobody's.
    Committed,
}

/// The timer of a task listener.
#[derive(Clone, Debug)]
pub struct Timeout {
    /// The listener's own id, unique within the task.
    pub id: Arc<str>,
    pub timer: Timer,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListenerEvent {
    Start,
    End,
    /// A token takes a flow.
    Take,
    /// Of user tasks.
    TaskCreate,
    TaskAssign,
    TaskUpdate,
    TaskComplete,
    TaskDelete,
    /// Every event of a user task.
    TaskAll,
    /// Of user tasks of Zeebe, before a cancelled task goes.
    TaskCancel,
    /// A timer of the listener's own.
    TaskTimeout,
}

#[derive(Clone, Debug)]
pub enum Code {
    /// By class name, or by the bean that an expression names.
    Delegate(Arc<str>),
    /// An expression that gives the delegate and is more than a name.
    ComputedDelegate(Expression),
    /// Its evaluation is the call.
    Expression(Expression),
    Script(Script),
    /// A job for a client; the element waits for it.
    Worker {
        job_type: Expression,
        retries: Option<Expression>,
        headers: Vec<(Arc<str>, Arc<str>)>,
    },
}

/// What is injected into a delegate before it is called.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: Arc<str>,
    pub value: Expression,
}
