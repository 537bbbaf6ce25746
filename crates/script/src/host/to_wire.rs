//! Values of the engine, written down for the way back.

use rquickjs::{Ctx, Function, Object, Type, Value};

use crate::wire_value::WireValue;

/// Deepest nesting of lists and objects that is given back.
const DEPTH_MAX: usize = 200;
/// Up to here every integer is a double exactly.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

pub(super) enum Refused {
    /// The engine has an exception pending.
    Thrown,
    TooLarge,
    TooDeep,
}

impl From<rquickjs::Error> for Refused {
    fn from(_error: rquickjs::Error) -> Self {
        Self::Thrown
    }
}

pub(super) struct ToWire<'js> {
    /// The constructor of dates, as it was before any script ran.
    pub(super) date: Option<Object<'js>>,
    pub(super) bytes_left: usize,
}

impl<'js> ToWire<'js> {
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
        Ok(match value.type_of() {
            Type::Bool => WireValue::Bool(value.as_bool().unwrap_or_default()),
            Type::Int => WireValue::Int(value.as_int().unwrap_or_default().into()),
            Type::Float => number(value.as_float().unwrap_or(f64::NAN)),
            Type::String => {
                let text = value.as_string().map(|text| text.to_string());
                // Halves of surrogate pairs are no text.
                let text = text.and_then(Result::ok).unwrap_or_default();
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
        let mut entries = Vec::new();
        for entry in object.props::<String, Value<'_>>() {
            let (name, value) = entry?;
            self.take(name.len() + 16)?;
            if !value.is_function() {
                entries.push((name, self.value(ctx, &value, depth + 1)?));
            }
        }
        Ok(WireValue::Map(entries))
    }

    fn take(&mut self, bytes: usize) -> Result<(), Refused> {
        self.bytes_left = self.bytes_left.checked_sub(bytes).ok_or(Refused::TooLarge)?;
        Ok(())
    }
}

/// Whole numbers are integers, as in the engines.
fn number(number: f64) -> WireValue {
    let is_negative_zero = number == 0.0 && number.is_sign_negative();
    if number.fract() == 0.0 && number.abs() <= EXACT_MAX && !is_negative_zero {
        WireValue::Int(number as i64)
    } else {
        WireValue::double(number)
    }
}

fn shown<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<String, Refused> {
    let string: Function<'_> = ctx.globals().get("String")?;
    Ok(string.call((value.clone(),))?)
}
