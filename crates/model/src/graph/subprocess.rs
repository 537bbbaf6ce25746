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
    /// One element at a time.
    pub is_sequential: bool,
    pub completion: Option<Expression>,
    pub cancels_rest: bool,
    /// Gives the ids of the elements to begin with; without it they are begun from outside.
    pub active_elements: Option<Expression>,
    /// A client decides what comes next.
    pub worker: Option<WorkerTask>,
    pub output: Option<(Arc<str>, Expression)>,
}
