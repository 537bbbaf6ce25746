//! FEEL and UEL: parse, print and evaluate the expressions inside process models.
//!
//! An [`Expression`] is parsed once and evaluated often. Evaluation is pure: variables, moment and
//! budget come in through [`Environment`], the value and its warnings come out. Expression text is
//! untrusted: parsing is linear in its length and bounded in depth, evaluation is bounded in
//! depth, steps and size, and neither panics.

mod decimal;
mod environment;
mod error;
mod expression;
mod feel;
mod meter;
mod number;
mod static_text;
mod uel;
mod value_text;

pub use environment::{
    BYTES_MAX_DEFAULT, Budget, DEPTH_MAX_DEFAULT, Environment, STEPS_MAX_DEFAULT, Scope,
};
pub use error::{EvalError, Limit, ParseError};
pub use expression::{
    Evaluated, Expression, Language, NESTING_MAX, TEXT_BYTES_MAX, WARNINGS_MAX, Warning, print,
};
pub use static_text::{static_value, zeebe_expression};
