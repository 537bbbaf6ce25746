//! What the application has registered by name.

use std::sync::Arc;

use orloj_interpreter::{Delegates, RetryPolicy};
use orloj_types::Value;
use rustc_hash::FxHashMap;

use crate::api::{Bean, Delegate};

#[derive(Default)]
pub(crate) struct Registry {
    pub delegates: FxHashMap<Arc<str>, Arc<dyn Delegate>>,
    pub beans: FxHashMap<Arc<str>, Arc<dyn Bean>>,
    /// Names that stand for values in expressions.
    pub values: FxHashMap<Arc<str>, Value>,
    /// By topic.
    pub policies: FxHashMap<Arc<str>, Box<dyn RetryPolicy>>,
    /// For topics that have none of their own.
    pub policy: Option<Box<dyn RetryPolicy>>,
}

impl Delegates for Registry {
    fn knows(&self, name: &str) -> bool {
        self.delegates.contains_key(name)
    }

    fn knows_bean(&self, name: &str) -> bool {
        self.beans.contains_key(name) || self.delegates.contains_key(name)
    }

    fn bean_has(&self, name: &str, method: &str) -> bool {
        self.beans.get(name).is_none_or(|bean| bean.has(method))
    }

    fn bean_value(&self, name: &str) -> Option<Value> {
        self.values.get(name).cloned()
    }

    fn retry_policy(&self, topic: &str) -> Option<&dyn RetryPolicy> {
        self.policies.get(topic).or(self.policy.as_ref()).map(|policy| &**policy)
    }
}
