//! Values of the engine, written down for the way back.

use rquickjs::convert::Coerced;
use rquickjs::{Ctx, FromJs, Function, Object, Type, Value};

use crate::protocol::ProblemKind;
use crate::wire_value::WireValue;

/// Deepest nesting of lists and objects that is given back.
const DEPTH_MAX: usize = 200;
/// Few values are nested deeper, and one that contains itself is found there as well.
const OPEN_DEPTH: usize = 16;
/// Up to here every integer is a double exactly.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

pub(super) enum Refused {
    /// The engine has an exception pending.
    Thrown,
    TooLarge,
    TooDeep,
    Cyclic,
}

impl Refused {
    pub(super) fn kind(&self) -> ProblemKind {
        match self {
            Self::TooDeep => ProblemKind::Stack,
            Self::Cyclic => ProblemKind::Cyclic,
            Self::TooLarge | Self::Thrown => ProblemKind::AnswerSize,
        }
    }
}

impl From<rquickjs::Error> for Refused {
    fn from(_error: rquickjs::Error) -> Self {
        Self::Thrown
    }
}

pub(super) struct ToWire<'js, 'a> {
    /// The constructor of dates; without it there are none.
    pub(super) date: Option<Object<'js>>,
    pub(super) well_formed: Option<Function<'js>>,
    pub(super) bytes_left: usize,
    /// Lists and objects around this one, from [`OPEN_DEPTH`] on.
    pub(super) open: Vec<Value<'js>>,
    /// The variables, as JSON.
    pub(super) given: &'a str,
}

impl<'js> ToWire<'js, '_> {
    pub(super) fn value(
        &mut self,
        ctx: &Ctx<'js>,
        value: &Value<'js>,
        depth: usize,
    ) -> Result<WireValue, Refused> {
        self.take(16)?;
        if depth > DEPTH_MAX {
            return Err(Refused::TooDeep);
        }
        if depth < OPEN_DEPTH || !value.is_object() {
            return self.written(ctx, value, depth);
        }
        if self.open.contains(value) {
            return Err(Refused::Cyclic);
        }
        self.open.push(value.clone());
        let written = self.written(ctx, value, depth);
        self.open.pop();
        written
    }

    fn written(
        &mut self,
        ctx: &Ctx<'js>,
        value: &Value<'js>,
        depth: usize,
    ) -> Result<WireValue, Refused> {
        Ok(match value.type_of() {
            Type::Bool => WireValue::Bool(value.as_bool().unwrap_or_default()),
            Type::Int => WireValue::Int(value.as_int().unwrap_or_default().into()),
            Type::Float => self.number(value.as_float().unwrap_or(f64::NAN)),
            Type::String => {
                let text = self.text(value)?;
                self.take(text.len())?;
                WireValue::Text(text)
            }
            Type::BigInt => {
                let text = shown(ctx, value)?;
                text.parse().map_or(WireValue::Text(text), WireValue::Int)
            }
            Type::Array => {
                let Some(array) = value.as_array() else { return Ok(WireValue::Null) };
                self.take(array.len().saturating_mul(16))?;
                let mut items = Vec::with_capacity(array.len());
                for item in array.iter::<Value<'_>>() {
                    items.push(self.value(ctx, &item?, depth + 1)?);
                }
                WireValue::List(items)
            }
            Type::Object | Type::Exception | Type::Proxy => match value.as_object() {
                Some(object) => self.object(ctx, object, depth)?,
                None => WireValue::Null,
            },
            _ => WireValue::Null,
        })
    }

    fn object(
        &mut self,
        ctx: &Ctx<'js>,
        object: &Object<'js>,
        depth: usize,
    ) -> Result<WireValue, Refused> {
        if let Some(date) = &self.date
            && object.is_instance_of(date)
        {
            let time: Function<'_> = object.get("getTime")?;
            let ms: f64 = time.call((rquickjs::function::This(object.clone()),))?;
            return Ok(if ms.is_finite() { WireValue::Date(ms as i64) } else { WireValue::Null });
        }
        // Boxed numbers, texts and flags: Java's, as scripts make them, and the language's own.
        if let Ok(value_of) = object.get::<_, Function<'_>>("valueOf") {
            let inner: Value<'_> = value_of.call((rquickjs::function::This(object.clone()),))?;
            if inner.is_number() || inner.is_string() || inner.is_bool() {
                return self.value(ctx, &inner, depth);
            }
        }
        let mut entries = Vec::new();
        for entry in object.props::<Value<'_>, Value<'_>>() {
            let (name, value) = entry?;
            let name = self.text(&name)?;
            self.take(name.len() + 16)?;
            if !value.is_function() {
                entries.push((name, self.value(ctx, &value, depth + 1)?));
            }
        }
        Ok(WireValue::Map(entries))
    }

    /// Halves of surrogate pairs are no characters; others stand for them.
    fn text(&self, value: &Value<'js>) -> Result<String, Refused> {
        let Some(text) = value.as_string() else { return Ok(String::new()) };
        if let Ok(text) = text.to_string() {
            return Ok(text);
        }
        let Some(well_formed) = &self.well_formed else { return Ok(String::new()) };
        Ok(well_formed.call((rquickjs::function::This(value.clone()),))?)
    }

    /// Whole numbers are integers as far as 32 bits go, and doubles beyond, as in the engines. A
    /// long variable that passes through stays one.
    fn number(&self, number: f64) -> WireValue {
        let is_whole = number.fract() == 0.0 && number.abs() <= EXACT_MAX;
        let is_negative_zero = number == 0.0 && number.is_sign_negative();
        let is_small = number.abs() <= f64::from(i32::MAX);
        if is_whole && !is_negative_zero && (is_small || has_number(self.given, number as i64)) {
            WireValue::Int(number as i64)
        } else {
            WireValue::double(number)
        }
    }

    fn take(&mut self, bytes: usize) -> Result<(), Refused> {
        self.bytes_left = self.bytes_left.checked_sub(bytes).ok_or(Refused::TooLarge)?;
        Ok(())
    }
}

/// Whether a JSON text has this number, and not only its digits within another.
fn has_number(json: &str, number: i64) -> bool {
    let digits = number.to_string();
    let goes_on = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
    json.match_indices(&digits).any(|(at, _)| {
        let (before, after) = (&json[..at], &json[at + digits.len()..]);
        !before.ends_with(goes_on) && !after.starts_with(goes_on)
    })
}

fn shown<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<String, Refused> {
    Ok(Coerced::<String>::from_js(ctx, value.clone())?.0)
}
