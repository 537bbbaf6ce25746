//! FEEL and UEL: parse, print and evaluate the expressions inside process models.
//!
//! An [`Expression`] is parsed once and evaluated often. Evaluation is pure: variables, moment and
//! budget come in through [`Environment`], the value and its warnings come out. Expression text is
//! untrusted: parsing is linear in its length and bounded in depth, evaluation is bounded in
//! depth, steps and size, and neither panics.
//!
//! ```
//! use orloj_expr::{Environment, Expression, Language};
//! use orloj_types::{Document, Timestamp};
//!
//! let condition = Expression::parse(Language::Feel, "amount > 100 and customer.vip")?;
//! let variables = Document::parse(r#"{"amount": 150, "customer": {"vip": true}}"#)?;
//! let evaluated = condition.evaluate(&Environment::new(&variables, Timestamp::ZERO))?;
//! assert_eq!(evaluated.value.to_json(), "true");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
