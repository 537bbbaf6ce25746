//! DMN 1.1 to 1.5: decision models parsed, checked and evaluated.
//!
//! [`Model::parse`] takes untrusted bytes and answers with a model or with every problem of the
//! files and its place. A model is parsed once and evaluated often; evaluation is pure, within
//! one budget for the whole graph, and never fails: what has no value is null, with the reason.
//!
//! ```
//! use orloj_dmn::{Environment, Model, Options};
//! use orloj_types::{Document, Timestamp};
//!
//! let file = br##"<definitions xmlns="https://www.omg.org/spec/DMN/20230324/MODEL/"
//!         namespace="shop" name="shop">
//!     <inputData id="t" name="total"/>
//!     <decision id="d" name="discount">
//!         <informationRequirement><requiredInput href="#t"/></informationRequirement>
//!         <literalExpression><text>if total > 100 then 10 else 0</text></literalExpression>
//!     </decision>
//! </definitions>"##;
//! let model = Model::parse(file, &Options::default())?;
//! let variables = Document::parse(r#"{"total": 150}"#)?;
//! let evaluation = model.evaluate("discount", &variables, &Environment::new(Timestamp::ZERO));
//! assert_eq!(evaluation.value.to_json(), "10");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod boxed;
mod diagnostic;
mod eval;
mod evaluation;
mod feel;
mod graph;
mod model;
mod options;
mod read;
mod result;
mod types;

pub use boxed::{Aggregation, HitPolicy};
pub use diagnostic::{DIAGNOSTICS_MAX, Diagnostic, Diagnostics, MESSAGE_CHARS_MAX, Severity};
pub use evaluation::{
    DecisionRecord, EntryRecord, Environment, Evaluation, InputRecord, Level, LogicKind,
    OutputRecord, PROBLEMS_MAX, Problem, RULES_RECORDED_MAX, RuleRecord, TABLES_MAX, TableRecord,
};
pub use model::{FILES_MAX, Invocable, InvocableKind, Model};
pub use options::{Mode, Options};
pub use result::{MapDecisionResult, MappingError};
