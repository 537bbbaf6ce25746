//! Groovy as process models use it: parse and run scripts, purely and within budgets.
//!
//! A [`Script`] is parsed once and run often. Parsing finds everything that is outside of the
//! supported language and the closed list of classes, with its position, so that a deployment can
//! be refused. Running is pure: variables, moment and seed come in, the value, the effects and the
//! printed lines come out; nothing is performed. Scripts are untrusted: parsing is bounded in
//! depth, running in steps, depth and bytes, and neither panics.
//!
//! ```
//! use orloj_groovy::{Dialect, Options, Script};
//! use orloj_types::{Timestamp, Value};
//! use std::collections::BTreeMap;
//!
//! let script = Script::parse("items.findAll { it > limit }.sum()")?;
//! let variables = BTreeMap::from([
//!     ("items".into(), Value::list(vec![Value::Int(1), Value::Int(5), Value::Int(7)])),
//!     ("limit".into(), Value::Int(2)),
//! ]);
//! let outcome = script.run(&variables, Options::new(Dialect::Camunda7, Timestamp::ZERO));
//! assert_eq!(outcome.result?.to_json(), "12");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ast;
mod budget;
mod classes;
mod decimal;
mod diagnostic;
mod host;
mod lexer;
mod methods;
mod parse;
mod pattern;
mod run;
mod script;
mod token;
mod value;

pub use budget::{
    BYTES_MAX_DEFAULT, Budget, DEPTH_MAX_DEFAULT, NESTING_MAX, PRINTED_BYTES_MAX_DEFAULT,
    SOURCE_BYTES_MAX, STEPS_MAX_DEFAULT, TOKENS_MAX,
};
pub use diagnostic::{Diagnostic, DiagnosticKind, Position};
pub use host::{Dialect, Effect, Failure, Host, Limit, Options, Outcome, VariableScope};
pub use methods::facts;
pub use script::Script;
