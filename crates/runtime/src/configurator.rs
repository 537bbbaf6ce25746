//! Parts of an application that configure the engine on their own.

use crate::api::Error;
use crate::builder::Builder;

/// Changes an engine before it is built. All configurators are asked in the order of their
/// priorities, lowest first, and of equal ones in the order they were added: first every
/// [`before_init`](Configurator::before_init), then every [`configure`](Configurator::configure).
/// So what one sets in `before_init`, such as a store or settings, another can build on.
///
/// ```
/// use orloj::{Builder, Configurator, Error};
///
/// struct Quiet;
///
/// impl Configurator for Quiet {
///     fn configure(&self, builder: Builder) -> Result<Builder, Error> {
///         Ok(builder.executor(false))
///     }
/// }
/// ```
pub trait Configurator: Send + Sync + 'static {
    /// For the log.
    fn name(&self) -> &str {
        std::any::type_name::<Self>()
    }

    fn priority(&self) -> i32 {
        10_000
    }

    fn before_init(&self, builder: Builder) -> Result<Builder, Error> {
        Ok(builder)
    }

    fn configure(&self, builder: Builder) -> Result<Builder, Error> {
        Ok(builder)
    }
}

impl Builder {
    /// As its configurators leave it.
    pub(crate) fn configured(mut self) -> Result<Self, Error> {
        let mut configurators = std::mem::take(&mut self.configurators);
        configurators.sort_by_key(|configurator| configurator.priority());
        for configurator in &configurators {
            let (name, priority) = (configurator.name(), configurator.priority());
            tracing::info!(name, priority, "configurator");
        }
        let mut builder = self;
        for configurator in &configurators {
            builder = configurator.before_init(builder)?;
        }
        for configurator in &configurators {
            builder = configurator.configure(builder)?;
        }
        match builder.configurators.is_empty() {
            true => Ok(builder),
            false => Err(Error::Invalid("a configurator cannot add configurators".into())),
        }
    }
}
