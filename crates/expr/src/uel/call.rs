//! Functions, and methods of beans.

use std::sync::Arc;

use orloj_types::{StoredValue, Temporal, Timestamp, Value, ValueTag};

use super::ast::FunctionCall;
use super::coerce::to_int;
use super::eval::Evaluator;
use super::functions::{Function, OfCollection, OfDate, OfVariable};
use super::host::Argument;
use super::item::Item;
use super::methods::Call;
use super::moment::{Moment, date, ms_of};
use super::operators::{is_empty, same};
use crate::error::EvalError;
use crate::number;
use crate::value_text::{compare_text, write_java};

type Outcome = Result<Item, EvalError>;

impl Evaluator<'_> {
    pub(super) fn function(&mut self, call: &FunctionCall, offset: usize, depth: usize) -> Outcome {
        let mut arguments = Vec::with_capacity(call.arguments.len());
        for argument in &call.arguments {
            arguments.push(self.value(argument, depth)?);
        }
        let now = self.environment.now;
        let value = match call.function {
            Function::Now | Function::Date(OfDate::Now) => date(now.as_ms(), offset)?,
            Function::DateTime => {
                return Moment::new(now, self.environment.zone, offset).map(Item::Moment);
            }
            Function::CurrentUser => {
                let user = self.host().and_then(|host| host.user());
                user.map_or(Value::Null, Value::Text)
            }
            Function::CurrentUserGroups => {
                let groups = self.host().map(|host| host.groups()).unwrap_or_default();
                let nobody = self.host().and_then(|host| host.user()).is_none();
                match nobody && groups.is_empty() {
                    true => Value::Null,
                    false => Value::List(Arc::new(groups.into_iter().map(Value::Text).collect())),
                }
            }
            Function::SpinXml => {
                return Err(EvalError::operands("XML cannot be read here", offset));
            }
            Function::Spin => return self.spin(&arguments[0], offset),
            Function::Variable(function) => self.of_variable(function, &arguments, offset)?,
            Function::Date(function) => self.of_date(function, &arguments, offset)?,
            Function::Collection(function) => self.of_collection(function, &arguments, offset)?,
        };
        Ok(Item::Value(value))
    }

    fn spin(&mut self, argument: &Value, offset: usize) -> Outcome {
        match argument {
            Value::Text(text) => {
                // The tree takes several times the memory of its text.
                self.meter.bytes(text.len().saturating_mul(4), offset)?;
                let node = Value::from(&StoredValue::new(ValueTag::Json, text.as_bytes()));
                // What cannot be read comes back as null.
                if node.is_null() && text.trim() != "null" {
                    return Err(EvalError::operands(
                        "the text is no JSON, or is nested too deeply",
                        offset,
                    ));
                }
                Ok(Item::Spin(node))
            }
            Value::List(_) | Value::Map(_) => Ok(Item::Spin(argument.clone())),
            other => {
                let message = format!("a {} is no text of JSON", other.type_name());
                Err(EvalError::operands(message, offset))
            }
        }
    }

    fn of_variable(
        &mut self,
        function: OfVariable,
        arguments: &[Value],
        offset: usize,
    ) -> Result<Value, EvalError> {
        let name = self.java_text(&arguments[0], offset)?;
        let variable = self.variable(&name).unwrap_or_default();
        let others = &arguments[1..];
        let holds = match function {
            OfVariable::Get => return Ok(variable),
            OfVariable::GetOrDefault if variable.is_null() => return Ok(others[0].clone()),
            OfVariable::GetOrDefault => return Ok(variable),
            OfVariable::Base64 => {
                let text = self.java_text(&variable, offset)?;
                self.meter.bytes(text.len() * 2, offset)?;
                return Ok(Value::text(base64(text.as_bytes())));
            }
            OfVariable::Exists => !variable.is_null(),
            OfVariable::IsEmpty => is_empty_variable(&variable),
            OfVariable::IsNotEmpty => !is_empty_variable(&variable),
            OfVariable::Equals => self.equal(&variable, &others[0], offset)?,
            OfVariable::NotEquals => {
                !variable.is_null() && !self.equal(&variable, &others[0], offset)?
            }
            OfVariable::Contains => self.contains(&variable, others, true, offset)?,
            OfVariable::ContainsAny => self.contains(&variable, others, false, offset)?,
            OfVariable::Less
            | OfVariable::LessOrEqual
            | OfVariable::Greater
            | OfVariable::GreaterOrEqual => {
                let Some(order) = order(&variable, &others[0], offset)? else {
                    return Ok(Value::Bool(false));
                };
                match function {
                    OfVariable::Less => order.is_lt(),
                    OfVariable::LessOrEqual => order.is_le(),
                    OfVariable::Greater => order.is_gt(),
                    _ => order.is_ge(),
                }
            }
        };
        Ok(Value::Bool(holds))
    }

    /// Numbers by their value, everything else without coercion.
    fn equal(&mut self, a: &Value, b: &Value, offset: usize) -> Result<bool, EvalError> {
        match number::compare(a, b) {
            Some(order) => Ok(order.is_eq()),
            None => same(a, b, &mut self.meter, 0, offset),
        }
    }

    /// Whether a list or a text contains all of these, or any.
    fn contains(
        &mut self,
        holder: &Value,
        wanted: &[Value],
        all: bool,
        offset: usize,
    ) -> Result<bool, EvalError> {
        for wanted in wanted {
            let found = match holder {
                Value::List(items) => {
                    let mut found = false;
                    for item in items.iter() {
                        found = found || self.equal(item, wanted, offset)?;
                    }
                    found
                }
                Value::Text(text) => {
                    self.meter.steps(text.len() / 32, offset)?;
                    let Value::Text(wanted) = wanted else {
                        let message = format!("text contains no {}", wanted.type_name());
                        return Err(EvalError::operands(message, offset));
                    };
                    text.contains(&**wanted)
                }
                _ => return Ok(false),
            };
            if found != all {
                return Ok(found);
            }
        }
        Ok(all)
    }

    fn of_date(
        &mut self,
        function: OfDate,
        arguments: &[Value],
        offset: usize,
    ) -> Result<Value, EvalError> {
        if arguments.first().is_some_and(Value::is_null) {
            return Ok(Value::Null);
        }
        let ms = match arguments.first() {
            Some(Value::Temporal(temporal)) => ms_of(temporal),
            Some(Value::Text(text)) => Temporal::parse(text).as_ref().and_then(ms_of),
            _ => None,
        };
        let Some(ms) = ms else {
            return Err(EvalError::operands("the argument is no date", offset));
        };
        let moment = Moment::new(Timestamp::from_ms(ms), self.environment.zone, offset)?;
        match function {
            OfDate::Now | OfDate::ToDate => date(ms, offset),
            OfDate::Format if arguments.len() == 1 => Ok(Value::text(moment.iso())),
            OfDate::Format => {
                let pattern = self.java_text(&arguments[1], offset)?;
                Ok(Value::text(moment.format(&pattern, offset)?))
            }
            OfDate::Add | OfDate::Subtract => {
                let mut moment = moment;
                for (unit, count) in ["Years", "Months", "Days"].into_iter().zip(&arguments[1..]) {
                    let count = to_int(count, offset)?;
                    let count =
                        if function == OfDate::Add { count } else { count.saturating_neg() };
                    if let Some(moved) = moment.plus(unit, count, offset) {
                        moment = moved?;
                    }
                }
                moment.to_date(offset)
            }
        }
    }

    /// Both may be lists, or texts with commas between their parts.
    fn of_collection(
        &mut self,
        function: OfCollection,
        arguments: &[Value],
        offset: usize,
    ) -> Result<Value, EvalError> {
        let parts = |value: &Value| match value {
            Value::List(items) => items.to_vec(),
            Value::Text(text) => text.split(',').map(|part| Value::from(part.trim())).collect(),
            Value::Null => Vec::new(),
            other => vec![other.clone()],
        };
        let (holder, wanted) = (parts(&arguments[0]), parts(&arguments[1]));
        let mut found = 0;
        for wanted in &wanted {
            let mut is_there = false;
            for item in &holder {
                is_there = is_there || self.equal(item, wanted, offset)?;
            }
            found += usize::from(is_there);
        }
        Ok(Value::Bool(match function {
            OfCollection::All => found == wanted.len(),
            OfCollection::None => found == 0,
            OfCollection::Any => found > 0,
            OfCollection::NotAll => found < wanted.len(),
        }))
    }

    pub(super) fn bean_method(
        &self,
        bean: &Arc<str>,
        method: &str,
        arguments: Vec<Item>,
        offset: usize,
    ) -> Outcome {
        let count = arguments.len();
        let mut handed: Vec<Argument> = Vec::with_capacity(count);
        for argument in arguments {
            handed.push(argument.into_argument(offset)?);
        }
        let beans = self.host().and_then(|host| host.beans());
        match beans.and_then(|beans| beans.call(bean, method, &handed)) {
            Some(Ok(value)) => Ok(Item::Value(value)),
            Some(Err(message)) => {
                Err(EvalError::operands(format!("{bean}.{method}: {message}"), offset))
            }
            None => Err(EvalError::UnknownMethod {
                method: method.to_owned(),
                receiver: Item::Bean(bean.clone()).describe(),
                arguments: count,
                offset,
            }),
        }
    }

    pub(super) fn bean_property(&self, bean: &Arc<str>, name: &str, offset: usize) -> Outcome {
        let mut capital: String = name.chars().take(1).flat_map(char::to_uppercase).collect();
        capital.extend(name.chars().skip(1));
        let beans = self.host().and_then(|host| host.beans());
        let prefixes: &[&str] = match beans.is_some_and(|beans| beans.has_properties(bean)) {
            true => &["get", "is"],
            false => &[],
        };
        for prefix in prefixes {
            match self.bean_method(bean, &format!("{prefix}{capital}"), Vec::new(), offset) {
                Err(EvalError::UnknownMethod { .. }) => {}
                outcome => return outcome,
            }
        }
        let (property, holder) = (name.to_owned(), "bean");
        Err(EvalError::UnknownProperty { property, holder, offset })
    }

    pub(super) fn call<'c>(
        &'c mut self,
        method: &'c str,
        arguments: &'c [Item],
        offset: usize,
    ) -> Call<'c> {
        Call {
            method,
            arguments,
            offset,
            profile: self.profile,
            zone: self.environment.zone,
            now: self.environment.now,
            meter: &mut self.meter,
        }
    }

    pub(super) fn java_text(&mut self, value: &Value, offset: usize) -> Result<String, EvalError> {
        // Dates are shown in the zone of the evaluation.
        if let Value::Temporal(temporal) = value
            && let Some(ms) = ms_of(temporal)
        {
            let at = Moment::new(Timestamp::from_ms(ms), self.environment.zone, offset)?;
            return Ok(at.java_text());
        }
        let mut out = String::new();
        write_java(value, &mut out, &mut self.meter, offset)?;
        Ok(out)
    }
}

/// Of maps Flowable does not ask whether there is something in them.
fn is_empty_variable(value: &Value) -> bool {
    is_empty(value) && !matches!(value, Value::Map(_))
}

/// `None` where one is null or has no order.
fn order(a: &Value, b: &Value, offset: usize) -> Result<Option<std::cmp::Ordering>, EvalError> {
    if a.is_null() || b.is_null() {
        return Ok(None);
    }
    if let Some(order) = number::compare(a, b) {
        return Ok(Some(order));
    }
    Ok(match (a, b) {
        (Value::Text(a), Value::Text(b)) => Some(compare_text(a, b)),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::Temporal(a), Value::Temporal(b)) => ms_of(a).partial_cmp(&ms_of(b)),
        (Value::List(_) | Value::Map(_), _) => None,
        _ => {
            let message = format!("cannot compare a {} and a {}", a.type_name(), b.type_name());
            return Err(EvalError::operands(message, offset));
        }
    })
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
        let bits = bits << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let sextet = bits >> (18 - 6 * place) & 63;
            out.push(if place <= chunk.len() { ALPHABET[sextet as usize] as char } else { '=' });
        }
    }
    out
}
