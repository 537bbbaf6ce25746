//! Decisions that a process asks for.

use std::sync::Arc;

use orloj_expr::Expression;

/// A decision of another file, asked within the command.
#[derive(Clone, Debug)]
pub struct DecisionTask {
    /// Gives the decision's id.
    pub decision: Expression,
    pub binding: DecisionBinding,
    pub tenant: Option<Expression>,
    pub result: DecisionResult,
}

/// Which version of a decision is meant.
#[derive(Clone, Debug)]
pub enum DecisionBinding {
    Latest,
    /// The one deployed together with the process.
    Deployment,
    /// The same, or the latest where the deployment has none.
    DeploymentOrLatest,
    Version(Expression),
    /// The newest with this tag.
    VersionTag(Expression),
}

/// What becomes of a decision's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecisionResult {
    /// The value, whatever it is, under a name.
    Value { variable: Arc<str> },
    /// The rules that matched, put into shape.
    Rules { shape: RulesShape, variable: Option<Arc<str>> },
    /// Each output of the only rule under its own name; the rules of a decision that can give
    /// several are a list under the decision's id.
    Outputs {
        /// Whether the process fails when no rule matches.
        needs_hit: bool,
    },
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RulesShape {
    SingleEntry,
    SingleResult,
    CollectEntries,
    #[default]
    ResultList,
}
