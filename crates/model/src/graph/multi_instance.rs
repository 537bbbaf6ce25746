use std::sync::Arc;

use orloj_expr::Expression;

use super::element::SavePoint;
use crate::retry::RetryCycle;

/// An activity that is done several times.
#[derive(Clone, Debug)]
pub struct MultiInstance {
    pub is_sequential: bool,
    pub items: Items,
    /// Asked after each of them: whether the rest is left out.
    pub completion: Option<Expression>,
    pub output: Option<OutputCollection>,
    pub aggregations: Vec<Aggregation>,
    /// Save points of the single instances; those of the element are the body's.
    pub inner_before: Option<SavePoint>,
    pub inner_after: Option<SavePoint>,
    /// Of the jobs of the single instances; that of the element is the body's.
    pub inner_retry_cycle: Option<RetryCycle>,
    /// One job looks again and again whether all parallel instances have ended, so that these do
    /// not meet at the body.
    pub is_watched: bool,
    /// The variable that counts the instances, instead of `loopCounter`.
    pub index_variable: Option<Arc<str>>,
}

impl MultiInstance {
    /// In parallel, and nothing more than that.
    pub fn of(items: Items) -> Self {
        Self {
            is_sequential: false,
            items,
            completion: None,
            output: None,
            aggregations: Vec::new(),
            inner_before: None,
            inner_after: None,
            inner_retry_cycle: None,
            is_watched: false,
            index_variable: None,
        }
    }
}

#[derive(Clone, Debug)]
pub enum Items {
    Cardinality(Expression),
    Collection {
        collection: Expression,
        /// Receives the item.
        variable: Option<Arc<str>>,
    },
}

/// Results gathered in the order of the items.
#[derive(Clone, Debug)]
pub struct OutputCollection {
    pub variable: Arc<str>,
    pub element: Expression,
}

/// Variables of the instances gathered into a list of objects.
#[derive(Clone, Debug)]
pub struct Aggregation {
    /// The variable for the list. Without one nothing can be made of it when the body is done.
    pub target: Option<Expression>,
    /// Without any no instance can be completed.
    pub variables: Vec<Aggregated>,
    /// Whether the list is there from the beginning and grows.
    pub creates_overview: bool,
    /// The list lives only as long as the command.
    pub is_transient: bool,
}

/// A member of the objects.
#[derive(Clone, Debug)]
pub struct Aggregated {
    pub source: AggregatedSource,
    /// Its name; that of the variable where there is no other.
    pub name: Option<Expression>,
}

#[derive(Clone, Debug)]
pub enum AggregatedSource {
    /// Left out where there is no such variable.
    Variable(Arc<str>),
    Value(Expression),
    Nothing,
}
