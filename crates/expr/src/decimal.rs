//! Decimal arithmetic: 38 significant digits, rounded once and half-even, exponents as in IEEE
//! 754 decimal128.
//!
//! `types` holds decimals in a library type whose own arithmetic keeps guard digits inside its
//! values, traps in debug builds and looks at one digit when it rounds. Only its integers are used
//! here: every operation is exact in 256 bits, or as good as exact, before it is rounded.

use std::cmp::Ordering;

use fastnum::decimal::{Context, Sign};
use fastnum::{U128, U256};
use orloj_types::Decimal;

pub(crate) const DIGITS_MAX: u32 = 38;
/// Of the first digit, as in decimal128.
pub(crate) const EXPONENT_MAX: i32 = 6_144;
/// What 256 bits hold for sure.
const WIDE_DIGITS_MAX: u32 = 77;

const CONTEXT: Context = Context::default().without_traps();

/// `± digits × 10^exponent`; up to 77 digits between an operation and its rounding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    negative: bool,
    digits: U256,
    exponent: i32,
}

impl Parts {
    pub(crate) fn from_i64(number: i64) -> Self {
        Self {
            negative: number < 0,
            digits: U256::from_digits([number.unsigned_abs(), 0, 0, 0]),
            exponent: 0,
        }
    }

    /// `None` for infinities, NaN and what is far out of range.
    pub(crate) fn of(number: &Decimal) -> Option<Self> {
        let exponent = -i32::from(number.fractional_digits_count());
        if !number.is_finite() || exponent.abs() > EXPONENT_MAX + DIGITS_MAX as i32 {
            return None;
        }
        let digits = number.digits();
        let [low, high] = *digits.digits();
        let digits = U256::from_digits([low, high, 0, 0]);
        Some(Self { negative: number.sign().is_negative(), digits, exponent })
    }

    /// Java's syntax: sign, digits with at most one point, exponent.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], parse_exponent(&text[at + 1..])?),
            None => (text, 0),
        };
        let (negative, mantissa) = match mantissa.as_bytes().first()? {
            b'-' => (true, &mantissa[1..]),
            b'+' => (false, &mantissa[1..]),
            _ => (false, mantissa),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let mut parts = Self { negative, digits: U256::ZERO, exponent: 0 };
        let (mut kept, mut sticky) = (0, false);
        let mut exponent = i64::from(exponent) - i64::try_from(fraction.len()).ok()?;
        for byte in whole.bytes().chain(fraction.bytes()) {
            if !byte.is_ascii_digit() {
                return None;
            }
            let digit = u64::from(byte - b'0');
            if kept + 1 < WIDE_DIGITS_MAX {
                parts.digits = parts.digits.mul_digit(10).strict_add_digit(digit);
                kept += u32::from(kept > 0 || digit > 0);
            } else {
                exponent += 1;
                sticky |= digit > 0;
            }
        }
        if sticky {
            parts.digits = parts.digits.mul_digit(10).strict_add_digit(1);
            exponent -= 1;
        }
        let limit = 4 * i64::from(EXPONENT_MAX);
        parts.exponent = exponent.clamp(-limit, limit) as i32;
        Some(parts)
    }

    pub(crate) fn negate(mut self) -> Self {
        self.negative = !self.negative && !self.is_zero();
        self
    }

    pub(crate) fn add(self, other: Self) -> Self {
        let (high, low) =
            if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        let (high, low) = aligned(high, low);
        if high.negative == low.negative {
            return Self { digits: high.digits.strict_add(low.digits), ..high };
        }
        match high.digits.cmp(&low.digits) {
            Ordering::Equal => Self { negative: false, digits: U256::ZERO, ..high },
            Ordering::Greater => Self { digits: high.digits.strict_sub(low.digits), ..high },
            Ordering::Less => Self { digits: low.digits.strict_sub(high.digits), ..low },
        }
    }

    pub(crate) fn mul(self, other: Self) -> Self {
        let (a, b) = (self.to_digits(DIGITS_MAX), other.to_digits(DIGITS_MAX));
        let digits = a.digits.strict_mul(b.digits);
        let negative = a.negative != b.negative && digits != U256::ZERO;
        Self { negative, digits, exponent: a.exponent + b.exponent }
    }

    /// At least 39 digits and a last one that says whether something follows. Division by zero is
    /// the caller's.
    pub(crate) fn div(self, other: Self) -> Self {
        let (a, b) = (self.to_digits(DIGITS_MAX), other.to_digits(DIGITS_MAX));
        if a.is_zero() {
            return a;
        }
        let shift = DIGITS_MAX + 1 + count(&b.digits) - count(&a.digits).min(DIGITS_MAX);
        let (quotient, rest) = scaled_up(a.digits, shift).div_rem(b.digits);
        let digits = quotient.mul_digit(10).strict_add_digit(u64::from(rest != U256::ZERO));
        Self {
            negative: a.negative != b.negative,
            digits,
            exponent: a.exponent - b.exponent - shift as i32 - 1,
        }
    }

    /// Rounds half-even to at most `digits_max` digits.
    pub(crate) fn to_digits(self, digits_max: u32) -> Self {
        let mut parts = self;
        // Rounding up can carry into one more digit, which is then a zero.
        loop {
            let excess = count(&parts.digits).saturating_sub(digits_max);
            if excess == 0 {
                return parts;
            }
            parts = parts.without_last(excess, Ties::Even);
        }
    }

    /// Rounds half-up to `fraction` digits behind the point, or appends zeros.
    pub(crate) fn to_fraction_half_up(self, fraction: i32) -> Option<Self> {
        let drop = -fraction - self.exponent;
        if drop > 0 {
            let drop = u32::try_from(drop).ok()?.min(WIDE_DIGITS_MAX);
            let rounded = self.without_last(drop, Ties::Up);
            return Some(Self { exponent: -fraction, ..rounded });
        }
        let shift = drop.unsigned_abs();
        if self.is_zero() {
            return Some(Self { exponent: -fraction, ..self });
        }
        (count(&self.digits) + shift <= WIDE_DIGITS_MAX).then(|| Self {
            digits: scaled_up(self.digits, shift),
            exponent: -fraction,
            ..self
        })
    }

    pub(crate) fn compare(self, other: Self) -> Ordering {
        match (self.is_zero(), other.is_zero()) {
            (true, true) => return Ordering::Equal,
            (true, false) => {
                return if other.negative { Ordering::Greater } else { Ordering::Less };
            }
            (false, true) => return if self.negative { Ordering::Less } else { Ordering::Greater },
            (false, false) => {}
        }
        if self.negative != other.negative {
            return if self.negative { Ordering::Less } else { Ordering::Greater };
        }
        let magnitude = self.leading_exponent().cmp(&other.leading_exponent()).then_with(|| {
            // The first digits stand at the same place, so the exponents are near each other.
            let (a, b) = if self.exponent >= other.exponent {
                aligned(self, other)
            } else {
                let (b, a) = aligned(other, self);
                (a, b)
            };
            a.digits.cmp(&b.digits)
        });
        if self.negative { magnitude.reverse() } else { magnitude }
    }

    /// Without zeros at the end.
    pub(crate) fn reduced(mut self) -> Self {
        if self.is_zero() {
            return Self { negative: false, exponent: 0, ..self };
        }
        loop {
            let (digits, last) = self.digits.div_rem_digit(10);
            if last != 0 {
                return self;
            }
            self.digits = digits;
            self.exponent += 1;
        }
    }

    /// Without an exponent above zero, as far as the digits reach.
    pub(crate) fn without_exponent(self) -> Self {
        let room = DIGITS_MAX.saturating_sub(count(&self.digits));
        match u32::try_from(self.exponent) {
            Ok(shift) if shift <= room => {
                Self { digits: scaled_up(self.digits, shift), exponent: 0, ..self }
            }
            _ => self,
        }
    }

    /// The 38-digit number. `None` for what is too large; what is too small is zero.
    pub(crate) fn finish(self) -> Option<Decimal> {
        let parts = self.to_digits(DIGITS_MAX);
        if parts.is_zero() {
            let exponent = parts.exponent.clamp(-EXPONENT_MAX, EXPONENT_MAX);
            return Some(Decimal::from_parts(U128::ZERO, exponent, Sign::Plus, CONTEXT));
        }
        match parts.leading_exponent() {
            exponent if exponent > EXPONENT_MAX => None,
            exponent if exponent < -EXPONENT_MAX => Some(Decimal::ZERO.with_ctx(CONTEXT)),
            _ => {
                let [low, high, ..] = *parts.digits.digits();
                let digits = U128::from_digits([low, high]);
                let sign = if parts.negative { Sign::Minus } else { Sign::Plus };
                Some(Decimal::from_parts(digits, parts.exponent, sign, CONTEXT))
            }
        }
    }

    /// Exactly this whole number, if it is one.
    pub(crate) fn to_i64(self) -> Option<i64> {
        if self.is_zero() {
            return Some(0);
        }
        if self.leading_exponent() > 19 {
            return None;
        }
        let digits = match u32::try_from(self.exponent) {
            Ok(shift) => scaled_up(self.digits, shift),
            Err(_) => {
                let places = self.exponent.unsigned_abs();
                if places >= count(&self.digits) {
                    return None;
                }
                let (whole, fraction) = self.digits.div_rem(U256::power_of_ten(places));
                if fraction != U256::ZERO {
                    return None;
                }
                whole
            }
        };
        let [low, rest @ ..] = *digits.digits();
        if rest != [0; 3] {
            return None;
        }
        let magnitude = i128::from(low);
        i64::try_from(if self.negative { -magnitude } else { magnitude }).ok()
    }

    /// Towards zero.
    pub(crate) fn truncated(self) -> Self {
        match u32::try_from(-i64::from(self.exponent)) {
            Ok(places) if places >= count(&self.digits) => {
                Self { negative: false, digits: U256::ZERO, exponent: 0 }
            }
            Ok(places) if places > 0 => {
                let digits = self.digits.div_rem(U256::power_of_ten(places)).0;
                Self { digits, exponent: 0, ..self }
            }
            _ => self,
        }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.digits == U256::ZERO
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.negative
    }

    pub(crate) fn exponent(&self) -> i32 {
        self.exponent
    }

    pub(crate) fn digits_text(&self) -> String {
        self.digits.to_string()
    }

    fn leading_exponent(&self) -> i32 {
        count(&self.digits) as i32 - 1 + self.exponent
    }

    fn without_last(self, places: u32, ties: Ties) -> Self {
        let exponent = self.exponent + places as i32;
        if places > count(&self.digits) {
            return Self { negative: false, digits: U256::ZERO, exponent };
        }
        let unit = U256::power_of_ten(places);
        let (mut digits, rest) = self.digits.div_rem(unit);
        let half = U256::power_of_ten(places - 1).mul_digit(5);
        let up = match rest.cmp(&half) {
            Ordering::Less => false,
            Ordering::Greater => true,
            Ordering::Equal => ties == Ties::Up || digits.digits()[0] & 1 == 1,
        };
        if up {
            digits = digits.strict_add_digit(1);
        }
        Self { negative: self.negative && digits != U256::ZERO, digits, exponent }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ties {
    Even,
    Up,
}

/// Brings two numbers, the one with the higher exponent first, to one exponent. Where they lie too
/// far apart for that, the lower one loses its end but for a trace that still decides how to
/// round.
fn aligned(high: Parts, low: Parts) -> (Parts, Parts) {
    let (high, low) = (high.to_digits(DIGITS_MAX), low.to_digits(DIGITS_MAX));
    let (high, low, swapped) =
        if high.exponent >= low.exponent { (high, low, false) } else { (low, high, true) };
    let distance = (high.exponent - low.exponent).unsigned_abs();
    // One digit stays free for the carry of an addition, one for the trace.
    let room = WIDE_DIGITS_MAX - 2 - count(&high.digits);
    let pair = if high.is_zero() {
        (Parts { exponent: low.exponent, ..high }, low)
    } else if distance <= room {
        let digits = scaled_up(high.digits, distance);
        (Parts { digits, exponent: low.exponent, ..high }, low)
    } else {
        let exponent = high.exponent - room as i32 - 1;
        (
            Parts { digits: scaled_up(high.digits, room + 1), exponent, ..high },
            Parts { digits: with_trace(low.digits, distance - room), exponent, ..low },
        )
    };
    if swapped { (pair.1, pair.0) } else { pair }
}

/// Drops digits, then appends one that only says whether the dropped ones were zero.
fn with_trace(digits: U256, places: u32) -> U256 {
    let (kept, rest) = if places >= count(&digits) {
        (U256::ZERO, digits)
    } else {
        digits.div_rem(U256::power_of_ten(places))
    };
    kept.mul_digit(10).strict_add_digit(u64::from(rest != U256::ZERO))
}

fn scaled_up(digits: U256, places: u32) -> U256 {
    if digits == U256::ZERO { digits } else { digits.strict_mul(U256::power_of_ten(places)) }
}

fn count(digits: &U256) -> u32 {
    if *digits == U256::ZERO { 1 } else { digits.decimal_digits() }
}

fn parse_exponent(text: &str) -> Option<i32> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parts(text: &str) -> Parts {
        Parts::parse(text).expect(text)
    }

    fn text(parts: Parts) -> String {
        let parts = parts.to_digits(DIGITS_MAX).reduced();
        let sign = if parts.negative { "-" } else { "" };
        format!("{sign}{}e{}", parts.digits_text(), parts.exponent)
    }

    #[test]
    fn operations_round_once_and_half_even() {
        let rows = [
            ("1", '/', "3", "33333333333333333333333333333333333333e-38"),
            ("2", '/', "3", "66666666666666666666666666666666666667e-38"),
            ("-2", '/', "3", "-66666666666666666666666666666666666667e-38"),
            ("1", '/', "8", "125e-3"),
            ("10", '/', "4", "25e-1"),
            ("0.1", '+', "0.2", "3e-1"),
            ("1", '-', "0.9", "1e-1"),
            ("99999999999999999999999999999999999999", '+', "1", "1e38"),
            ("99999999999999999999999999999999999999", '+', "0.5", "1e38"),
            (
                "99999999999999999999999999999999999998",
                '+',
                "0.5",
                "99999999999999999999999999999999999998e0",
            ),
            (
                "99999999999999999999999999999999999998",
                '+',
                "0.50000000001",
                "99999999999999999999999999999999999999e0",
            ),
            (
                "99999999999999999999999999999999999999",
                '*',
                "99999999999999999999999999999999999999",
                "99999999999999999999999999999999999998e38",
            ),
            ("1e6000", '+', "1e-6000", "1e6000"),
            ("1e50", '-', "1", "1e50"),
            ("1e50", '-', "1e12", "99999999999999999999999999999999999999e12"),
            ("5", '-', "5.00", "0e0"),
            ("0", '*', "-3", "0e0"),
            ("0e-10", '+', "1e20", "1e20"),
        ];
        for (a, operator, b, expected) in rows {
            let (left, right) = (parts(a), parts(b));
            let result = match operator {
                '+' => left.add(right),
                '-' => left.add(right.negate()),
                '*' => left.mul(right),
                _ => left.div(right),
            };
            assert_eq!(text(result), expected, "{a} {operator} {b}");
        }
    }

    #[test]
    fn the_range_has_ends() {
        assert!(parts("1e6144").finish().is_some());
        assert!(parts("1e6145").finish().is_none());
        assert!(parts("1e99999999").finish().is_none());
        assert!(parts("1e-6144").finish().is_some_and(|number| !number.is_zero()));
        assert!(parts("1e-99999999").finish().is_some_and(|number| number.is_zero()));
    }

    proptest! {
        #[test]
        fn small_numbers_agree_with_integers(a in -1_000_000_000_000_i64..1_000_000_000_000, b in -1_000_000_000_000_i64..1_000_000_000_000, shift in 0..9_i32) {
            let scale = |number: i64| Parts { exponent: -shift, ..Parts::from_i64(number) };
            let unscale = |parts: Parts, places: i32| Parts { exponent: parts.exponent + places, ..parts }.to_i64();
            prop_assert_eq!(unscale(scale(a).add(scale(b)), shift), Some(a + b));
            let product = i128::from(a) * i128::from(b);
            prop_assert_eq!(unscale(scale(a).mul(scale(b)), 2 * shift), i64::try_from(product).ok());
            prop_assert_eq!(scale(a).compare(scale(b)), a.cmp(&b));
        }

        #[test]
        fn any_two_numbers_have_results(a in "-?[0-9]{1,90}(\\.[0-9]{0,60})?(e-?[0-9]{1,5})?", b in "-?[0-9]{1,90}(\\.[0-9]{0,60})?(e-?[0-9]{1,5})?") {
            let (a, b) = (parts(&a), parts(&b));
            if let (Some(a), Some(b)) = (a.finish(), b.finish()) {
                let (a, b) = (Parts::of(&a).expect("in range"), Parts::of(&b).expect("in range"));
                a.add(b).finish();
                a.mul(b).finish();
                if !b.is_zero() {
                    a.div(b).finish();
                }
                prop_assert_eq!(a.compare(b), b.compare(a).reverse());
                prop_assert_eq!(a.add(b.negate()).is_zero(), a.compare(b) == Ordering::Equal);
                a.to_i64();
                a.truncated();
                a.to_fraction_half_up(3);
            }
        }
    }
}
