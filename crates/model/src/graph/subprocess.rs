use std::sync::Arc;

use orloj_expr::Expression;

use super::process::Scope;
use super::task::WorkerTask;

#[derive(Clone, Debug)]
pub struct SubProcess {
    pub kind: SubProcessKind,
    pub scope: Scope,
}

#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one of these per subprocess of a model")]
pub enum SubProcessKind {
    Embedded,
    /// Begins when the trigger of its start event comes.
    Event,
    Transaction,
    AdHoc(AdHoc),
}

#[derive(Clone, Debug)]
pub struct AdHoc {
    /// Its elements are begun from outside, and so is its end. Otherwise it tells by a variable
    /// which elements there are, begins those that an expression or a client names, and ends with
    /// them.
    pub by_hand: bool,
    /// One element at a time.
    pub is_sequential: bool,
    pub completion: Option<Expression>,
    pub cancels_rest: bool,
    /// Gives the ids of the elements to begin with; without it none is.
    pub active_elements: Option<Expression>,
    /// A client decides what comes next.
    pub worker: Option<WorkerTask>,
    pub output: Option<(Arc<str>, Expression)>,
}
