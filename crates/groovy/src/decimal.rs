//! Scaled decimals as Java's `BigDecimal` and Groovy's rules for it, up to 38 digits.

use std::cmp::Ordering;
use std::fmt;

/// `unscaled × 10^-scale`. The scale is kept as computed, because texts show it: `1.10 + 2.2` is
/// `3.30`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Dec {
    pub(crate) unscaled: i128,
    pub(crate) scale: i32,
}

/// Digits that a quotient without an end gets beyond those of its operands.
const DIVISION_EXTRA_DIGITS: u32 = 10;
/// Digits after the point of a quotient without an end, unless an operand has more.
const DIVISION_SCALE_MIN: i32 = 10;
/// Larger scales are not reachable with 38 digits in a script that means well.
const SCALE_MAX: i32 = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    Up,
    Down,
    Ceiling,
    Floor,
    HalfUp,
    HalfDown,
    HalfEven,
    Unnecessary,
}

impl Dec {
    pub(crate) fn whole(unscaled: i128) -> Self {
        Self { unscaled, scale: 0 }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (digits, exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], text[at + 1..].parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (sign, digits) = match digits.as_bytes().first()? {
            b'-' => (-1, &digits[1..]),
            b'+' => (1, &digits[1..]),
            _ => (1, digits),
        };
        let (mut unscaled, mut scale, mut seen, mut point) = (0i128, 0i32, false, false);
        for c in digits.chars() {
            if c == '.' && !point {
                point = true;
                continue;
            }
            unscaled = unscaled.checked_mul(10)?.checked_add(i128::from(c.to_digit(10)?))?;
            seen = true;
            scale += i32::from(point);
        }
        let scale = scale.checked_sub(exponent)?;
        (seen && scale.abs() <= SCALE_MAX).then_some(Self { unscaled: unscaled * sign, scale })
    }

    /// The shortest decimal that reads as this double.
    pub(crate) fn from_f64(number: f64) -> Option<Self> {
        number.is_finite().then(|| Self::parse(&java_double(number)))?
    }

    pub(crate) fn to_f64(self) -> f64 {
        format!("{}e{}", self.unscaled, -self.scale).parse().unwrap_or(f64::NAN)
    }

    /// Cut towards zero.
    pub(crate) fn to_i128(self) -> Option<i128> {
        if self.scale <= 0 {
            self.unscaled.checked_mul(power(-self.scale)?)
        } else {
            Some(power(self.scale).map_or(0, |unit| self.unscaled / unit))
        }
    }

    pub(crate) fn is_zero(self) -> bool {
        self.unscaled == 0
    }

    pub(crate) fn precision(self) -> u32 {
        self.unscaled.unsigned_abs().checked_ilog10().unwrap_or(0) + 1
    }

    pub(crate) fn add(self, other: Self) -> Option<Self> {
        let (a, b, scale) = aligned(self, other)?;
        Some(Self { unscaled: a.checked_add(b)?, scale })
    }

    pub(crate) fn sub(self, other: Self) -> Option<Self> {
        let (a, b, scale) = aligned(self, other)?;
        Some(Self { unscaled: a.checked_sub(b)?, scale })
    }

    pub(crate) fn mul(self, other: Self) -> Option<Self> {
        let scale = self.scale.checked_add(other.scale)?;
        let unscaled = self.unscaled.checked_mul(other.unscaled)?;
        (scale.abs() <= SCALE_MAX).then_some(Self { unscaled, scale })
    }

    pub(crate) fn neg(self) -> Option<Self> {
        Some(Self { unscaled: self.unscaled.checked_neg()?, scale: self.scale })
    }

    /// Exact where the quotient ends, as few digits as that takes; otherwise rounded half up.
    /// The divisor is not zero.
    pub(crate) fn div(self, other: Self) -> Option<Self> {
        let preferred = self.scale.checked_sub(other.scale)?;
        let digits_max = self.precision().max(other.precision()) + DIVISION_EXTRA_DIGITS;
        let divisor = other.unscaled;
        let (mut quotient, mut rest) =
            (self.unscaled.checked_div(divisor)?, self.unscaled.checked_rem(divisor)?);
        let mut scale = preferred;
        let scale_max = self.scale.max(other.scale).max(DIVISION_SCALE_MIN);
        while rest != 0 {
            let is_long = Self { unscaled: quotient, scale }.precision() > digits_max;
            if is_long && scale > scale_max {
                break;
            }
            let Some(digits) = quotient.checked_mul(10) else { break };
            rest = rest.checked_mul(10)?;
            quotient = digits.checked_add(rest / divisor)?;
            rest %= divisor;
            scale += 1;
        }
        let result = Self { unscaled: quotient, scale };
        if rest == 0 {
            return Some(result);
        }
        // One digit more than asked for was made, and what is left over is not zero: rounding
        // half up needs no more of it.
        result.with_scale(scale_max.min(scale), Rounding::HalfUp)
    }

    pub(crate) fn rem(self, other: Self) -> Option<Self> {
        let (a, b, scale) = aligned(self, other)?;
        Some(Self { unscaled: a.checked_rem(b)?, scale })
    }

    pub(crate) fn compare(self, other: Self) -> Ordering {
        match aligned(self, other) {
            Some((a, b, _)) => a.cmp(&b),
            // Too far apart to be written with one scale.
            None => self.to_f64().total_cmp(&other.to_f64()),
        }
    }

    pub(crate) fn with_scale(self, scale: i32, rounding: Rounding) -> Option<Self> {
        if scale.abs() > SCALE_MAX {
            return None;
        }
        if scale >= self.scale {
            let unscaled = self.unscaled.checked_mul(power(scale.checked_sub(self.scale)?)?)?;
            return Some(Self { unscaled, scale });
        }
        let Some(unit) = power(self.scale - scale) else {
            return Some(Self { unscaled: 0, scale });
        };
        let (cut, rest) = (self.unscaled / unit, self.unscaled % unit);
        let away = if self.unscaled < 0 { -1 } else { 1 };
        let half = (rest.unsigned_abs()).cmp(&(unit.unsigned_abs() - rest.unsigned_abs()));
        let up = match rounding {
            Rounding::Unnecessary if rest != 0 => return None,
            _ if rest == 0 => false,
            Rounding::Up => true,
            Rounding::Down | Rounding::Unnecessary => false,
            Rounding::Ceiling => away > 0,
            Rounding::Floor => away < 0,
            Rounding::HalfUp => half != Ordering::Less,
            Rounding::HalfDown => half == Ordering::Greater,
            Rounding::HalfEven => {
                half == Ordering::Greater || (half == Ordering::Equal && cut % 2 != 0)
            }
        };
        Some(Self { unscaled: if up { cut + away } else { cut }, scale })
    }

    pub(crate) fn stripped(self) -> Self {
        let mut result = self;
        if result.unscaled == 0 {
            return Self::whole(0);
        }
        while result.unscaled % 10 == 0 {
            result = Self { unscaled: result.unscaled / 10, scale: result.scale - 1 };
        }
        result
    }

    pub(crate) fn to_plain(self) -> String {
        let plain =
            if self.scale < 0 { self.with_scale(0, Rounding::Unnecessary) } else { Some(self) };
        let Some(plain) = plain else { return self.to_string() };
        let digits = plain.unscaled.unsigned_abs().to_string();
        let sign = if plain.unscaled < 0 { "-" } else { "" };
        let scale = plain.scale.unsigned_abs() as usize;
        if scale == 0 {
            return format!("{sign}{digits}");
        }
        let padded = format!("{digits:0>width$}", width = scale + 1);
        let (whole, part) = padded.split_at(padded.len() - scale);
        format!("{sign}{whole}.{part}")
    }
}

/// Java's notation: plain unless the scale is negative or there are many zeros.
impl fmt::Display for Dec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.unscaled.unsigned_abs().to_string();
        let exponent = i64::from(digits.len() as u32) - 1 - i64::from(self.scale);
        if self.scale >= 0 && exponent >= -6 {
            return f.write_str(&self.to_plain());
        }
        let sign = if self.unscaled < 0 { "-" } else { "" };
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        write!(f, "{sign}{first}{point}{rest}E{exponent:+}")
    }
}

/// A double as Java writes it.
pub(crate) fn java_double(number: f64) -> String {
    java_floating(number, || format!("{number:e}"), || format!("{number:?}"))
}

pub(crate) fn java_float(number: f32) -> String {
    java_floating(f64::from(number), || format!("{number:e}"), || format!("{number:?}"))
}

fn java_floating(number: f64, exponent: impl Fn() -> String, plain: impl Fn() -> String) -> String {
    let size = number.abs();
    if number.is_nan() {
        return "NaN".into();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity".into() } else { "-Infinity".into() };
    }
    if size == 0.0 || (1e-3..1e7).contains(&size) {
        return plain();
    }
    let text = exponent().replace('e', "E");
    match text.split_once('E') {
        Some((digits, power)) if !digits.contains('.') => format!("{digits}.0E{power}"),
        _ => text,
    }
}

fn aligned(a: Dec, b: Dec) -> Option<(i128, i128, i32)> {
    let scale = a.scale.max(b.scale);
    let raise = |d: Dec| d.unscaled.checked_mul(power(scale.checked_sub(d.scale)?)?);
    Some((raise(a)?, raise(b)?, scale))
}

fn power(exponent: i32) -> Option<i128> {
    10i128.checked_pow(u32::try_from(exponent).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_of_java() {
        for (text, shown) in [
            ("1.50", "1.50"),
            ("1e3", "1E+3"),
            ("1.5e-3", "0.0015"),
            ("0.0000001", "1E-7"),
            ("-0.00000012", "-1.2E-7"),
            ("-12.5", "-12.5"),
            ("0.00", "0.00"),
        ] {
            assert_eq!(Dec::parse(text).expect("a number").to_string(), shown, "{text}");
        }
    }

    #[test]
    fn quotients_end_or_have_ten_places() {
        for (a, b, shown) in [
            ("1", "3", "0.3333333333"),
            ("7", "2", "3.5"),
            ("6", "2", "3"),
            ("22", "7", "3.1428571429"),
            ("1.0", "3", "0.3333333333"),
            ("10", "2.5", "4"),
        ] {
            let (x, y) = (Dec::parse(a).expect("a"), Dec::parse(b).expect("b"));
            assert_eq!(x.div(y).expect("in range").to_string(), shown, "{a} / {b}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let large = Dec::whole(i128::MAX);
        assert!(large.mul(large).is_none());
        assert!(large.add(large).is_none());
        assert!(Dec::parse("1e999999").is_none());
    }
}
