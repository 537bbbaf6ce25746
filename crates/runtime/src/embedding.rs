//! What an application gives to the engine it embeds: code by name, and where that code runs.

use std::sync::Arc;

use orloj_interpreter::RetryPolicy;
use orloj_types::Value;
use tokio::runtime::Handle;

use crate::api::{Bean, Delegate};
use crate::builder::Builder;
use crate::configurator::Configurator;
use crate::definition_cache::DefinitionCache;
use crate::own_executor::Executor;
use crate::pool::Spawn;

impl Builder {
    /// The code behind a class, a delegate expression or a listener of this name. Where none is
    /// registered, the element becomes a job for workers.
    ///
    /// ```
    /// # use orloj::{Call, Fault, Orloj};
    /// # use orloj::types::Document;
    /// let builder = Orloj::builder().delegate("shop.Charge", |call: Call| async move {
    ///     match call.variables.get("total") {
    ///         Some(_) => Ok(Document::new().with("charged", true)),
    ///         None => Err(Fault::failed("there is no total")),
    ///     }
    /// });
    /// # drop(builder);
    /// ```
    pub fn delegate(mut self, name: &str, delegate: impl Delegate) -> Self {
        self.registry.delegates.insert(name.into(), Arc::new(delegate));
        self
    }

    /// An object whose methods expressions call: `${prices.of(item)}`; reading its property `rate`
    /// calls `getRate`.
    pub fn bean(mut self, name: &str, bean: impl Bean) -> Self {
        self.registry.beans.insert(name.into(), Arc::new(bean));
        self
    }

    /// What a name stands for in expressions, where no variable has it: `${limits.high}`.
    pub fn value(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.registry.values.insert(name.into(), value.into());
        self
    }

    /// Decides about failed jobs that call this delegate, instead of the retry cycle of the model.
    pub fn retry_policy(mut self, topic: &str, policy: impl RetryPolicy) -> Self {
        self.registry.policies.insert(topic.into(), Box::new(policy));
        self
    }

    /// Decides about all failed jobs of the engine's own for which there is no other policy.
    pub fn default_retry_policy(mut self, policy: impl RetryPolicy) -> Self {
        self.registry.policy = Some(Box::new(policy));
        self
    }

    /// Called when the engine is built, in the order of priorities.
    pub fn configurator(mut self, configurator: impl Configurator) -> Self {
        self.configurators.push(Box::new(configurator));
        self
    }

    /// Where parsed definitions are kept. Default: a [`BoundedCache`](crate::BoundedCache).
    pub fn definition_cache(mut self, cache: impl DefinitionCache) -> Self {
        self.cache = Some(Arc::new(cache));
        self
    }

    /// The tokio runtime that runs delegates, beans and scripts. Default: the one that
    /// [`Builder::build`] is called on.
    pub fn runtime(mut self, runtime: Handle) -> Self {
        self.runtime = Some(runtime);
        self
    }

    /// Who decides when each job of the engine's own begins. Default: it begins when its turn
    /// comes, as with [`AtOnce`](crate::AtOnce), and without the detour. An offer costs a read of
    /// the job, so that it tells what is true then.
    pub fn own_executor(mut self, executor: impl Executor) -> Self {
        self.own_executor = Some(Arc::new(executor));
        self.config.offers_jobs = true;
        self
    }

    /// Who runs delegates and beans, if not the runtime itself: a [`Pool`](crate::Pool), or the
    /// application's own executor. They may use what that allows.
    pub fn spawn_on(mut self, spawn: impl Spawn) -> Self {
        self.spawn = Some(Arc::new(spawn));
        self
    }
}
