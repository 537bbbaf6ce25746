//! Scripts of process models, whatever their language.
//!
//! Groovy runs in process, within budgets. JavaScript is untrusted machine-near code:
//! it runs in children that were stripped of every right, one script at a time, and that are
//! killed at the deadline. A script sees variables and facts that its caller gives it and returns
//! a value, effects and printed lines; nothing is performed here.
//!
//! - [`ScriptLanguage`], [`Script`]: what a model contains, checked at deployment.
//! - [`Scripts`]: runs them; owns the pool of children.
//! - [`SecureScripting`]: what an operator may configure, under the names Flowable gave it.
//! - [`host::run`]: the other side, called by the hidden subcommand of the binary.

mod config;
mod frame;
pub mod host;
mod javascript;
mod language;
mod outcome;
mod pool;
mod protocol;
mod runner;
mod script;
mod spin;
mod wire_value;

pub use config::{Limits, SecureScripting};
pub use language::ScriptLanguage;
pub use orloj_groovy::{Dialect, Effect, Host, Position, VariableScope, facts};
pub use outcome::{Diagnostic, Failure, Limit, Outcome};
pub use pool::{PoolError, PoolOptions, ScriptHost};
pub use runner::{RunOptions, Scripts};
pub use script::Script;
