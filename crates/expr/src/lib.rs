//! FEEL and UEL: parse, print and evaluate the expressions inside process and decision models.
//!
//! An [`Expression`] is parsed once and evaluated often. Evaluation is pure: variables, moment,
//! zone, seed and budget come in through [`Environment`], the value and its warnings come out.
//! Expression text is untrusted: parsing is linear in its length and bounded in depth, evaluation
//! is bounded in depth, steps and size, and neither panics. Errors and warnings carry the byte
//! where they belong; [`excerpt`] shows the line with a caret under it.
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
//!
//! FEEL has two [`Mode`]s: `Language::Feel` is that of Zeebe's processes, [`Mode::Standard`] that
//! of DMN. Names of several words are read when [`Names`] says that they exist. Decision models
//! evaluate many expressions in one [`Session`], which has one budget for all of them, keeps
//! dates, ranges and functions as values, and can be given functions of the host by [`native`].
//!
//! ```
//! use std::collections::BTreeMap;
//! use orloj_expr::{Environment, Expression, Mode, Names, Session, excerpt};
//! use orloj_types::{Timestamp, Value};
//!
//! let names: Names = ["delivery date"].into_iter().collect();
//! let day = Expression::parse_with(Mode::Standard, "delivery date + @\"P1M\"", &names)?;
//! let weekdays = Expression::parse_unary_tests(Mode::Standard, "[1..5]", &names)?;
//!
//! let date = orloj_types::Date::parse("2024-01-31").expect("a date");
//! let scope = BTreeMap::from([("delivery date".to_owned(), Value::temporal(date))]);
//! let mut session = Session::new(Environment::new(&scope, Timestamp::ZERO));
//! let due = session.evaluate(&day, &scope)?;
//! assert_eq!(due.as_temporal().map(|due| due.to_string()).as_deref(), Some("2024-02-29"));
//! assert_eq!(session.test(&weekdays, &scope, &Value::Int(6))?.to_json(), "false");
//!
//! let text = "1 + * 2";
//! let error = Expression::parse_with(Mode::Standard, text, &names).expect_err("no FEEL");
//! assert_eq!(
//!     excerpt(text, error.offset, &error.message),
//!     "1:5: expected a value, found '*'\n  1 + * 2\n      ^",
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod decimal;
mod environment;
mod error;
mod excerpt;
mod expression;
pub mod feel;
mod meter;
mod number;
pub mod pattern;
mod static_text;
mod uel;
mod value_text;

pub use environment::{
    BYTES_MAX_DEFAULT, Budget, DEPTH_MAX_DEFAULT, Environment, STEPS_MAX_DEFAULT, Scope,
};
pub use error::{EvalError, Limit, ParseError};
pub use excerpt::excerpt;
pub use expression::{
    Evaluated, Expression, Language, NESTING_MAX, TEXT_BYTES_MAX, TOKENS_MAX, WARNINGS_MAX,
    Warning, print,
};
pub use feel::{Mode, Names, NativeFunction, Session, Type, Types, coerce, native, parse_type};
pub use static_text::{static_value, zeebe_expression};
pub use uel::{Argument, Beans, Effect, FactChange, Holder, Host, Place, Profile};
