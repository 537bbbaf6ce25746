use orloj_types::Value;

use crate::error::ParseError;
use crate::expression::Expression;
use crate::number::{Number, scaled};

/// The value of an attribute that is no expression, as Zeebe types it.
pub fn static_value(text: &str) -> Value {
    match text {
        "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => number(text).unwrap_or_else(|| Value::text(text)),
    }
}

/// An attribute of a Zeebe model: FEEL behind `=`, else a constant. Offsets in errors and warnings
/// count from the start of `text`, the sign included.
pub fn zeebe_expression(text: &str) -> Result<Expression, ParseError> {
    match text.strip_prefix('=') {
        Some(rest) if !rest.is_empty() => Expression::parse_feel_at(rest, 1),
        _ => Ok(Expression::constant(static_value(text))),
    }
}

fn number(text: &str) -> Option<Value> {
    // Cheap refusal of the common case, a word.
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) {
        return None;
    }
    let number = scaled::parse(text)?;
    Number::of(&Value::Decimal(number)).map(Number::into_value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn static_texts_have_types() {
        let rows = [
            ("null", "null"),
            ("true", "true"),
            ("false", "false"),
            ("True", "\"True\""),
            ("12", "12"),
            ("-3", "-3"),
            ("+3", "3"),
            ("1.50", "1.5"),
            ("2.0", "2"),
            ("1e3", "1000"),
            (".5", "0.5"),
            ("5.", "5"),
            ("", "\"\""),
            (" 12", "\" 12\""),
            ("1.2.3", "\"1.2.3\""),
            ("-", "\"-\""),
            (".", "\".\""),
            ("1e", "\"1e\""),
            ("payment", "\"payment\""),
            ("12345678901234567890", "12345678901234567890"),
        ];
        for (text, expected) in rows {
            assert_eq!(static_value(text).to_json(), expected, "{text}");
        }
    }

    #[test]
    fn an_equals_sign_makes_an_expression() {
        assert_eq!(
            zeebe_expression("=").expect("text").as_constant().map(Value::to_json),
            Some("\"=\"".into())
        );
        assert_eq!(
            zeebe_expression("payment").expect("text").as_constant().map(Value::to_json),
            Some("\"payment\"".into())
        );
        let expression = zeebe_expression("= a + 1").expect("FEEL");
        assert_eq!(expression.source(), " a + 1");
        assert!(expression.as_constant().is_none());
        assert_eq!(zeebe_expression("=1 +").expect_err("unfinished").offset, 4);
    }
}
