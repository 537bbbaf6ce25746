//! Numbers of FEEL, and the scaled decimals of UEL.

use std::cmp::Ordering;

use orloj_types::{Decimal, Value};

use crate::decimal::Parts;
pub(crate) use crate::decimal::Rounding;

/// Up to here every integer is a double exactly.
const EXACT_DOUBLE_MAX: u64 = 1 << 53;
/// Larger exponents leave the range for every base but those next to one, where a double is as
/// good as any other approximation.
const POWER_MAX: i64 = 999_999;

/// A number of FEEL: the common whole ones without the cost of a decimal.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Int(i64),
    Decimal(Parts),
}

impl Number {
    /// `None` for what is no number: other types, infinities and NaN.
    #[inline]
    pub(crate) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Int(number) => Some(Self::Int(*number)),
            Value::Double(number) => shortest(*number),
            Value::Decimal(number) => Parts::of(number).map(Self::Decimal),
            _ => None,
        }
    }

    /// Digits with at most one point before or between them; `None` also when out of range.
    pub(crate) fn from_literal(text: &str) -> Option<Self> {
        match text.parse() {
            Ok(whole) => Some(Self::Int(whole)),
            Err(_) => settled(Parts::parse(text)?),
        }
    }

    /// With an exponent as well.
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        Self::from_literal(text)
    }

    pub(crate) fn from_i128(number: i128) -> Option<Self> {
        match i64::try_from(number) {
            Ok(small) => Some(Self::Int(small)),
            Err(_) => settled(Parts::new(number < 0, number.unsigned_abs(), 0)),
        }
    }

    pub(crate) fn from_f64(number: f64) -> Option<Self> {
        shortest(number)
    }

    /// Towards zero.
    pub(crate) fn to_i128(self) -> Option<i128> {
        match self {
            Self::Int(number) => Some(number.into()),
            Self::Decimal(number) => number.truncated().to_i128(),
        }
    }

    /// Exactly this whole number, if it is one.
    pub(crate) fn whole(self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(number),
            Self::Decimal(number) => number.to_i64(),
        }
    }

    /// With so many digits behind the point, which may be fewer than none.
    pub(crate) fn rounded(self, scale: i32, rounding: Rounding) -> Option<Self> {
        if let (Self::Int(_), 0..) = (self, scale) {
            return Some(self);
        }
        settled(self.parts().rescaled(-scale, rounding)?)
    }

    /// With at most so many digits.
    pub(crate) fn shortened(self, digits_max: u32) -> Option<Self> {
        settled(self.parts().reduced_to(digits_max))
    }

    pub(crate) fn is_negative(self) -> bool {
        match self {
            Self::Int(number) => number < 0,
            Self::Decimal(number) => number.is_negative(),
        }
    }

    pub(crate) fn is_zero(self) -> bool {
        self.parts().is_zero()
    }

    pub(crate) fn abs(self) -> Self {
        if self.is_negative() { self.negate() } else { self }
    }

    pub(crate) fn compare(self, other: Self) -> Ordering {
        self.parts().compare(other.parts())
    }

    /// `a - b * floor(a / b)`: the sign is that of the divisor.
    pub(crate) fn modulo(self, other: Self) -> Option<Self> {
        if let (Self::Int(a), Self::Int(b)) = (self, other) {
            let rest = a.checked_rem(b)?;
            let turned = rest != 0 && (rest < 0) != (b < 0);
            return Some(Self::Int(if turned { rest + b } else { rest }));
        }
        let quotient = self.div(other)?.rounded(0, Rounding::Floor)?;
        self.sub(quotient.mul(other)?)
    }

    /// By Newton's method from the double: each step doubles the digits.
    pub(crate) fn sqrt(self) -> Option<Self> {
        if self.is_negative() {
            return None;
        }
        if self.is_zero() {
            return Some(Self::Int(0));
        }
        // The exponent is halved apart, because doubles end long before decimals do.
        let parts = self.parts().reduced();
        let half = (parts.exponent() - i32::from(parts.exponent().rem_euclid(2) == 1)) / 2;
        let scale = settled(Parts::new(false, 1, 2 * half))?;
        let number = self.div(scale)?;
        let mut root = shortest(number.to_f64().sqrt())?;
        for _ in 0..3 {
            root = root.add(number.div(root)?)?.div(Self::Int(2))?;
        }
        // The last digit may be off by one, so a shorter root that is exact is taken instead.
        let short = settled(root.parts().reduced_to(30))
            .filter(|short| short.mul(*short).is_some_and(|square| square.compare(number).is_eq()));
        short.unwrap_or(root).mul(settled(Parts::new(false, 1, half))?)
    }

    pub(crate) fn exp(self) -> Option<Self> {
        let size = self.to_f64();
        if size > 15_000.0 {
            return None;
        }
        if size < -15_000.0 {
            return Some(Self::Int(0));
        }
        // e^x = (e^(x / 2^k))^(2^k), with the inner exponent below 2^-8.
        let mut halvings = 0;
        let mut small = self;
        while small.to_f64().abs() > 1.0 / 256.0 {
            small = small.div(Self::Int(2))?;
            halvings += 1;
        }
        let (mut sum, mut term) = (Self::Int(1), Self::Int(1));
        for n in 1..=18 {
            term = term.mul(small)?.div(Self::Int(n))?;
            sum = sum.add(term)?;
        }
        for _ in 0..halvings {
            sum = sum.mul(sum)?;
        }
        // Each squaring may cost a bit, so the last digits are noise.
        settled(sum.parts().reduced_to(34))
    }

    /// The natural logarithm, by Halley's method from the double.
    pub(crate) fn ln(self) -> Option<Self> {
        if self.is_negative() || self.is_zero() {
            return None;
        }
        let parts = self.parts().reduced();
        // ln(d × 10^e) from doubles, where the number itself may be beyond them.
        let guess = (parts.digits() as f64).ln() + f64::from(parts.exponent()) * 10_f64.ln();
        let mut log = shortest(guess)?;
        for _ in 0..2 {
            let power = log.exp()?;
            let step = self.sub(power)?.div(self.add(power)?)?.mul(Self::Int(2))?;
            log = log.add(step)?;
        }
        settled(log.parts().reduced_to(34))
    }

    /// Whole numbers that fit are integers, so that they are stored and shown as such.
    pub(crate) fn into_value(self) -> Value {
        match self {
            Self::Int(number) => Value::Int(number),
            Self::Decimal(number) => match number.to_i64() {
                Some(whole) => Value::Int(whole),
                None => {
                    number.reduced().without_exponent().finish().map_or(Value::Null, Value::Decimal)
                }
            },
        }
    }

    pub(crate) fn add(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) if a.checked_add(b).is_some() => {
                a.checked_add(b).map(Self::Int)
            }
            _ => settled(self.parts().add(other.parts())),
        }
    }

    pub(crate) fn sub(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) if a.checked_sub(b).is_some() => {
                a.checked_sub(b).map(Self::Int)
            }
            _ => settled(self.parts().add(other.parts().negate())),
        }
    }

    pub(crate) fn mul(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) if a.checked_mul(b).is_some() => {
                a.checked_mul(b).map(Self::Int)
            }
            _ => settled(self.parts().mul(other.parts())),
        }
    }

    /// `None` also for division by zero.
    pub(crate) fn div(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) if a.checked_rem(b) == Some(0) => {
                a.checked_div(b).map(Self::Int)
            }
            _ if other.parts().is_zero() => None,
            _ => settled(self.parts().div(other.parts())),
        }
    }

    /// Whole exponents multiply; others go through doubles, as in Camunda's FEEL.
    pub(crate) fn pow(self, exponent: Self) -> Option<Self> {
        let times = match exponent {
            Self::Int(times) => Some(times),
            Self::Decimal(exponent) => exponent.to_i64(),
        };
        match times {
            Some(times) if times.unsigned_abs() <= POWER_MAX.unsigned_abs() => {
                let power = self.multiplied(times.unsigned_abs())?;
                if times < 0 { Self::Int(1).div(power) } else { Some(power) }
            }
            _ => shortest(self.to_f64().powf(exponent.to_f64())),
        }
    }

    fn multiplied(self, mut times: u64) -> Option<Self> {
        let (mut result, mut square) = (Self::Int(1), self);
        while times > 0 {
            if times & 1 == 1 {
                result = result.mul(square)?;
            }
            times >>= 1;
            if times > 0 {
                square = square.mul(square)?;
            }
        }
        Some(result)
    }

    pub(crate) fn negate(self) -> Self {
        match self {
            Self::Int(number) => match number.checked_neg() {
                Some(negated) => Self::Int(negated),
                None => Self::Decimal(Parts::from_i64(number).negate()),
            },
            Self::Decimal(number) => Self::Decimal(number.negate()),
        }
    }

    /// Towards zero.
    pub(crate) fn truncated(self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(number),
            Self::Decimal(number) => number.truncated().to_i64(),
        }
    }

    pub(crate) fn is_decimal(self) -> bool {
        matches!(self, Self::Decimal(_))
    }

    fn parts(self) -> Parts {
        match self {
            Self::Int(number) => Parts::from_i64(number),
            Self::Decimal(number) => number,
        }
    }

    fn to_f64(self) -> f64 {
        match self {
            Self::Int(number) => number as f64,
            Self::Decimal(number) => double(number),
        }
    }
}

/// Orders two numeric values; `None` when one is no number.
#[inline]
pub(crate) fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Double(a), Value::Double(b)) => a.partial_cmp(b),
        (Value::Int(a), Value::Double(b)) if a.unsigned_abs() <= EXACT_DOUBLE_MAX => {
            (*a as f64).partial_cmp(b)
        }
        (Value::Double(a), Value::Int(b)) if b.unsigned_abs() <= EXACT_DOUBLE_MAX => {
            a.partial_cmp(&(*b as f64))
        }
        _ => Some(Number::of(a)?.parts().compare(Number::of(b)?.parts())),
    }
}

/// The shortest decimal that reads as this double, as Zeebe takes doubles into FEEL.
fn shortest(number: f64) -> Option<Number> {
    if !number.is_finite() {
        return None;
    }
    settled(Parts::parse(&format!("{number:e}"))?)
}

fn settled(parts: Parts) -> Option<Number> {
    let number = parts.in_range()?;
    Some(match number.to_i64() {
        Some(whole) => Number::Int(whole),
        None => Number::Decimal(number),
    })
}

fn double(parts: Parts) -> f64 {
    let sign = if parts.is_negative() { "-" } else { "" };
    let text = format!("{sign}{}e{}", parts.digits(), parts.exponent());
    text.parse().unwrap_or(f64::NAN)
}

/// What UEL needs of Java's decimals: the number of fraction digits is part of the value. `None`
/// is a result out of range.
pub(crate) mod scaled {
    use super::{Decimal, Ordering, Parts};

    /// Digits asked of a double's exact value; more than a decimal keeps.
    const DOUBLE_DIGITS: usize = 60;

    pub(crate) fn add(a: &Decimal, b: &Decimal) -> Option<Decimal> {
        Parts::of(a)?.add(Parts::of(b)?).finish()
    }

    pub(crate) fn sub(a: &Decimal, b: &Decimal) -> Option<Decimal> {
        Parts::of(a)?.add(Parts::of(b)?.negate()).finish()
    }

    pub(crate) fn mul(a: &Decimal, b: &Decimal) -> Option<Decimal> {
        Parts::of(a)?.mul(Parts::of(b)?).finish()
    }

    /// Keeps the fraction digits of the dividend, half up. Division by zero is the caller's.
    pub(crate) fn div(a: &Decimal, b: &Decimal) -> Option<Decimal> {
        Parts::of(a)?.div_half_up(Parts::of(b)?)?.finish()
    }

    pub(crate) fn negate(a: &Decimal) -> Option<Decimal> {
        Parts::of(a)?.negate().finish()
    }

    pub(crate) fn compare(a: &Decimal, b: &Decimal) -> Option<Ordering> {
        Some(Parts::of(a)?.compare(Parts::of(b)?))
    }

    /// Java's `equals`: 1.50 is not 1.5.
    pub(crate) fn same(a: &Decimal, b: &Decimal) -> bool {
        a.fractional_digits_count() == b.fractional_digits_count()
            && compare(a, b) == Some(Ordering::Equal)
    }

    /// The exact value of the double, as far as the digits reach.
    pub(crate) fn from_f64(number: f64) -> Option<Decimal> {
        if !number.is_finite() {
            return None;
        }
        let parts = Parts::parse(&format!("{number:.DOUBLE_DIGITS$e}"))?;
        parts.reduced().without_exponent().finish()
    }

    pub(crate) fn parse(text: &str) -> Option<Decimal> {
        Parts::parse(text)?.finish()
    }

    pub(crate) fn to_f64(a: &Decimal) -> f64 {
        Parts::of(a).map_or(f64::NAN, super::double)
    }

    /// Towards zero; `None` when it does not fit.
    pub(crate) fn to_i64(a: &Decimal) -> Option<i64> {
        Parts::of(a)?.truncated().to_i64()
    }
}
