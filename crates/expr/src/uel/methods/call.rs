use std::sync::Arc;

use orloj_types::{Timestamp, Value, Zone};

use super::super::coerce::to_int;
use super::super::host::Profile;
use super::super::item::Item;
use crate::error::EvalError;
use crate::meter::Meter;
use crate::value_text::write_java;

/// One call of a method, and how its arguments become the types that Java declares.
pub(in super::super) struct Call<'a> {
    pub method: &'a str,
    pub arguments: &'a [Item],
    pub offset: usize,
    pub profile: Profile,
    pub zone: &'a Zone,
    pub now: Timestamp,
    pub meter: &'a mut Meter,
}

/// What a method gives, and what its receiver has become if the method changes it.
pub(in super::super) struct Called {
    pub result: Item,
    pub changed: Option<Value>,
}

impl From<Value> for Called {
    fn from(value: Value) -> Self {
        Self { result: Item::Value(value), changed: None }
    }
}

impl From<Item> for Called {
    fn from(result: Item) -> Self {
        Self { result, changed: None }
    }
}

impl Called {
    pub fn changing(result: Value, changed: Value) -> Self {
        Self { result: Item::Value(result), changed: Some(changed) }
    }
}

/// Work of a method that looks at every byte of a text, in steps of evaluation.
const BYTES_PER_STEP: usize = 32;

impl Call<'_> {
    pub fn renamed<'b>(&'b mut self, method: &'b str) -> Call<'b> {
        Call {
            method,
            arguments: &[],
            offset: self.offset,
            profile: self.profile,
            zone: self.zone,
            now: self.now,
            meter: self.meter,
        }
    }

    pub fn count(&self) -> usize {
        self.arguments.len()
    }

    pub fn value(&self, at: usize) -> Result<Value, EvalError> {
        match self.arguments.get(at) {
            Some(item) => item.clone().into_value(self.offset),
            None => Ok(Value::Null),
        }
    }

    pub fn int(&self, at: usize) -> Result<i64, EvalError> {
        to_int(&self.value(at)?, self.offset)
    }

    /// A `String`: anything has a text. Null is empty in Camunda, and wrong in Flowable.
    pub fn text(&mut self, at: usize) -> Result<Arc<str>, EvalError> {
        match self.value(at)? {
            Value::Text(text) => Ok(text),
            Value::Null if self.profile == Profile::Flowable => {
                Err(self.wrong("a string", &Value::Null))
            }
            other => self.java_text(&other).map(Arc::from),
        }
    }

    /// A `CharSequence`, which nothing is coerced to.
    pub fn chars(&self, at: usize) -> Result<Arc<str>, EvalError> {
        match self.value(at)? {
            Value::Text(text) => Ok(text),
            other => Err(self.wrong("a string", &other)),
        }
    }

    pub fn java_text(&mut self, value: &Value) -> Result<String, EvalError> {
        let mut out = String::new();
        write_java(value, &mut out, self.meter, self.offset)?;
        Ok(out)
    }

    /// A text that was made here.
    pub fn made(&mut self, text: impl Into<Arc<str>>) -> Result<Called, EvalError> {
        let text = text.into();
        self.meter.bytes(text.len(), self.offset)?;
        Ok(Value::Text(text).into())
    }

    /// Before all of a text is looked at.
    pub fn read(&mut self, text: &str) -> Result<(), EvalError> {
        self.meter.steps(text.len() / BYTES_PER_STEP + 1, self.offset)
    }

    pub fn unknown(&self, receiver: &str) -> EvalError {
        EvalError::UnknownMethod {
            method: self.method.to_owned(),
            receiver: receiver.to_owned(),
            arguments: self.count(),
            offset: self.offset,
        }
    }

    pub fn wrong(&self, expected: &str, found: &Value) -> EvalError {
        let message =
            format!("the method '{}' expects {expected}, not a {}", self.method, found.type_name());
        EvalError::operands(message, self.offset)
    }

    pub fn fail(&self, message: impl Into<String>) -> EvalError {
        EvalError::operands(message, self.offset)
    }
}
