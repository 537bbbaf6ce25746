//! Decimal arithmetic: 38 significant digits, rounded once and half-even, exponents as in IEEE
//! 754 decimal128.
//!
//! `types` holds decimals in a library type whose own arithmetic keeps guard digits inside its
//! values, traps in debug builds and looks at one digit when it rounds. Only its integers are used
//! here: an operation is exact in 128 or 256 bits, or as good as exact, before it is rounded.

use std::cmp::Ordering;

use fastnum::decimal::{Context, Sign};
use fastnum::{U128, U256};
use orloj_types::Decimal;

pub(crate) const DIGITS_MAX: u32 = 38;
/// Of the first digit, as in decimal128.
pub(crate) const EXPONENT_MAX: i32 = 6_144;
/// What 256 bits hold for sure.
const WIDE_DIGITS_MAX: u32 = 77;
/// Powers of ten that fit into 128 bits.
const POWERS: [u128; DIGITS_MAX as usize + 1] = powers();
const LIMIT: u128 = POWERS[DIGITS_MAX as usize];

const CONTEXT: Context = Context::default().without_traps();

/// `± digits × 10^exponent` with at most 38 digits. Zero has no sign.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    negative: bool,
    digits: u128,
    exponent: i32,
}

impl Parts {
    const ZERO: Self = Self { negative: false, digits: 0, exponent: 0 };

    pub(crate) fn new(negative: bool, digits: u128, exponent: i32) -> Self {
        rounded(negative, digits, exponent)
    }

    pub(crate) fn from_i64(number: i64) -> Self {
        Self { negative: number < 0, digits: number.unsigned_abs().into(), exponent: 0 }
    }

    /// `None` for infinities, NaN and what is far out of range.
    pub(crate) fn of(number: &Decimal) -> Option<Self> {
        let exponent = -i32::from(number.fractional_digits_count());
        if !number.is_finite() || exponent.abs() > EXPONENT_MAX + DIGITS_MAX as i32 {
            return None;
        }
        let digits = number.digits();
        let [low, high] = *digits.digits();
        let digits = u128::from(high) << 64 | u128::from(low);
        Some(rounded(number.sign().is_negative(), digits, exponent))
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
        let mut exponent = i64::from(exponent) - i64::try_from(fraction.len()).ok()?;
        // 38 digits, one to round by, and whether anything follows.
        let (mut digits, mut next, mut follows) = (0_u128, None, false);
        for byte in whole.bytes().chain(fraction.bytes()) {
            if !byte.is_ascii_digit() {
                return None;
            }
            let digit = byte - b'0';
            if digits < LIMIT / 10 {
                digits = digits * 10 + u128::from(digit);
                continue;
            }
            exponent += 1;
            match next {
                None => next = Some(digit),
                Some(_) => follows |= digit > 0,
            }
        }
        let next = next.unwrap_or(0);
        let up = next > 5 || next == 5 && (follows || digits & 1 == 1);
        let limit = 4 * i64::from(EXPONENT_MAX);
        let exponent = exponent.clamp(-limit, limit) as i32;
        Some(rounded(negative, digits + u128::from(up), exponent))
    }

    pub(crate) fn negate(self) -> Self {
        Self { negative: !self.negative && !self.is_zero(), ..self }
    }

    pub(crate) fn add(self, other: Self) -> Self {
        let (high, low) =
            if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        match high.scaled_to(low.exponent) {
            Some(digits) => sum(Self { digits, exponent: low.exponent, ..high }, low),
            None => high.add_wide(low),
        }
    }

    /// Where the exponents differ by much, the lower number loses its end but for a trace that
    /// still decides how to round.
    fn add_wide(self, low: Self) -> Self {
        let high = self;
        if high.is_zero() || low.is_zero() {
            return if low.is_zero() { high } else { low };
        }
        // One digit stays free for the carry, one for the trace.
        let room = WIDE_DIGITS_MAX - 2 - count(high.digits);
        let distance = (high.exponent - low.exponent).unsigned_abs();
        let (a, b, exponent) = if distance <= room {
            (scaled_up(high.digits, distance), wide(low.digits), low.exponent)
        } else {
            let a = scaled_up(high.digits, room + 1);
            (a, with_trace(low.digits, distance - room), high.exponent - room as i32 - 1)
        };
        // Scaled by that much, the higher one is also the larger one.
        let digits = if high.negative == low.negative { a.strict_add(b) } else { a.strict_sub(b) };
        rounded_wide(high.negative, digits, exponent)
    }

    pub(crate) fn mul(self, other: Self) -> Self {
        let negative = self.negative != other.negative;
        let exponent = self.exponent + other.exponent;
        match self.digits.checked_mul(other.digits) {
            Some(digits) => rounded(negative, digits, exponent),
            None => {
                let digits = wide(self.digits).strict_mul(wide(other.digits));
                rounded_wide(negative, digits, exponent)
            }
        }
    }

    /// Division by zero is the caller's.
    pub(crate) fn div(self, other: Self) -> Self {
        let (negative, digits, exponent) = self.quotient(other);
        rounded_wide(negative, digits, exponent)
    }

    /// Keeps the fraction digits of the dividend, half up; `None` where they are too many.
    pub(crate) fn div_half_up(self, other: Self) -> Option<Self> {
        let (negative, digits, exponent) = self.quotient(other);
        let wanted = self.exponent;
        let digits = match u32::try_from(wanted - exponent) {
            Ok(places) => without_last(digits, places, Ties::Up),
            Err(_) => {
                let places = (exponent - wanted).unsigned_abs();
                if wide_count(&digits) + places > WIDE_DIGITS_MAX {
                    return None;
                }
                digits.strict_mul(U256::power_of_ten(places))
            }
        };
        if wide_count(&digits) > DIGITS_MAX {
            return None;
        }
        Some(rounded(negative, narrow(&digits), wanted))
    }

    /// At least 39 digits, and a last one that says whether something follows.
    fn quotient(self, other: Self) -> (bool, U256, i32) {
        if self.is_zero() {
            return (false, U256::ZERO, self.exponent);
        }
        let shift = DIGITS_MAX + 1 + count(other.digits) - count(self.digits);
        let (quotient, rest) = scaled_up(self.digits, shift).div_rem(wide(other.digits));
        let digits = quotient.mul_digit(10).strict_add_digit(u64::from(rest != U256::ZERO));
        let exponent = self.exponent - other.exponent - shift as i32 - 1;
        (self.negative != other.negative, digits, exponent)
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
            // The first digits stand at the same place, so at one exponent both have 38 at most.
            let exponent = self.exponent.min(other.exponent);
            self.scaled_to(exponent).cmp(&other.scaled_to(exponent))
        });
        if self.negative { magnitude.reverse() } else { magnitude }
    }

    /// Without zeros at the end.
    pub(crate) fn reduced(mut self) -> Self {
        if self.is_zero() {
            return Self::ZERO;
        }
        while self.digits.is_multiple_of(10) {
            self.digits /= 10;
            self.exponent += 1;
        }
        self
    }

    /// Without an exponent above zero, as far as the digits reach.
    pub(crate) fn without_exponent(self) -> Self {
        match self.scaled_to(0) {
            Some(digits) if self.exponent > 0 && digits < LIMIT => {
                Self { digits, exponent: 0, ..self }
            }
            _ => self,
        }
    }

    /// `None` for what is too large; what is too small is zero.
    pub(crate) fn in_range(self) -> Option<Self> {
        if self.is_zero() {
            let exponent = self.exponent.clamp(-EXPONENT_MAX, EXPONENT_MAX);
            return Some(Self { exponent, ..Self::ZERO });
        }
        match self.leading_exponent() {
            exponent if exponent > EXPONENT_MAX => None,
            exponent if exponent < -EXPONENT_MAX => Some(Self::ZERO),
            _ => Some(self),
        }
    }

    pub(crate) fn finish(self) -> Option<Decimal> {
        let parts = self.in_range()?;
        let digits = U128::from_digits([parts.digits as u64, (parts.digits >> 64) as u64]);
        let sign = if parts.negative { Sign::Minus } else { Sign::Plus };
        Some(Decimal::from_parts(digits, parts.exponent, sign, CONTEXT))
    }

    /// Exactly this whole number, if it is one.
    pub(crate) fn to_i64(self) -> Option<i64> {
        if self.is_zero() {
            return Some(0);
        }
        if !(0..=18).contains(&self.leading_exponent()) {
            return None;
        }
        let magnitude = if self.exponent >= 0 {
            self.scaled_to(0)?
        } else {
            let unit = POWERS.get(self.exponent.unsigned_abs() as usize)?;
            if !self.digits.is_multiple_of(*unit) {
                return None;
            }
            self.digits / unit
        };
        let magnitude = i128::try_from(magnitude).ok()?;
        i64::try_from(if self.negative { -magnitude } else { magnitude }).ok()
    }

    /// Exactly this whole number, if it is one.
    pub(crate) fn to_i128(self) -> Option<i128> {
        if self.is_zero() {
            return Some(0);
        }
        let magnitude = match self.exponent {
            0.. => self.scaled_to(0)?,
            _ => {
                let unit = POWERS.get(self.exponent.unsigned_abs() as usize)?;
                if !self.digits.is_multiple_of(*unit) {
                    return None;
                }
                self.digits / unit
            }
        };
        let magnitude = i128::try_from(magnitude).ok()?;
        Some(if self.negative { -magnitude } else { magnitude })
    }

    /// At this exponent or a lower one, without the digits below it.
    pub(crate) fn rescaled(self, exponent: i32, rounding: Rounding) -> Option<Self> {
        if self.exponent >= exponent || self.is_zero() {
            return Some(self);
        }
        let places = (exponent - self.exponent).unsigned_abs() as usize;
        let (kept, rest, half) = match POWERS.get(places) {
            Some(unit) => {
                let rest = self.digits % unit;
                (self.digits / unit, rest != 0, rest.cmp(&(unit / 2)))
            }
            // Everything lies below, and far below the half.
            None => (0, true, Ordering::Less),
        };
        let up = match rounding {
            Rounding::Up => rest,
            Rounding::Down => false,
            Rounding::Floor => rest && self.negative,
            Rounding::Ceiling => rest && !self.negative,
            Rounding::HalfUp => half.is_ge(),
            Rounding::HalfDown => half.is_gt(),
            Rounding::HalfEven => half.is_gt() || half.is_eq() && kept & 1 == 1,
        };
        Some(rounded(self.negative, kept + u128::from(up), exponent))
    }

    /// Half-even, to at most so many digits.
    pub(crate) fn reduced_to(self, digits_max: u32) -> Self {
        let places = count(self.digits).saturating_sub(digits_max) as i32;
        self.rescaled(self.exponent + places, Rounding::HalfEven).unwrap_or(self)
    }

    /// Towards zero.
    pub(crate) fn truncated(self) -> Self {
        if self.exponent >= 0 {
            return self;
        }
        match POWERS.get(self.exponent.unsigned_abs() as usize) {
            Some(unit) => rounded(self.negative, self.digits / unit, 0),
            None => Self::ZERO,
        }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.digits == 0
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.negative
    }

    pub(crate) fn exponent(&self) -> i32 {
        self.exponent
    }

    pub(crate) fn digits(&self) -> u128 {
        self.digits
    }

    fn leading_exponent(&self) -> i32 {
        count(self.digits) as i32 - 1 + self.exponent
    }

    /// The digits at a lower exponent, if 128 bits hold them.
    fn scaled_to(&self, exponent: i32) -> Option<u128> {
        let distance = usize::try_from(self.exponent - exponent).ok()?;
        self.digits.checked_mul(*POWERS.get(distance)?)
    }
}

/// What becomes of digits that are dropped. Up is away from zero, down is towards it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    Up,
    Down,
    Floor,
    Ceiling,
    HalfUp,
    HalfDown,
    HalfEven,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ties {
    Even,
    Up,
}

/// Of two numbers with one exponent; 38 digits and what fits into 128 bits add without overflow
/// only in 256.
fn sum(a: Parts, b: Parts) -> Parts {
    if a.negative == b.negative {
        return match a.digits.checked_add(b.digits) {
            Some(digits) => rounded(a.negative, digits, a.exponent),
            None => {
                let digits = wide(a.digits).strict_add(wide(b.digits));
                rounded_wide(a.negative, digits, a.exponent)
            }
        };
    }
    let negative = if a.digits >= b.digits { a.negative } else { b.negative };
    rounded(negative, a.digits.abs_diff(b.digits), a.exponent)
}

/// Brings up to 39 digits to 38.
fn rounded(negative: bool, digits: u128, exponent: i32) -> Parts {
    let (mut digits, mut exponent) = (digits, exponent);
    // Rounding up can carry into one more digit, which is then a zero.
    while digits >= LIMIT {
        let (kept, last) = (digits / 10, digits % 10);
        digits = kept + u128::from(last > 5 || last == 5 && kept & 1 == 1);
        exponent += 1;
    }
    Parts { negative: negative && digits != 0, digits, exponent }
}

fn rounded_wide(negative: bool, digits: U256, exponent: i32) -> Parts {
    let places = wide_count(&digits).saturating_sub(DIGITS_MAX);
    let digits = if places == 0 { digits } else { without_last(digits, places, Ties::Even) };
    rounded(negative, narrow(&digits), exponent + places as i32)
}

fn without_last(digits: U256, places: u32, ties: Ties) -> U256 {
    if places == 0 {
        return digits;
    }
    if places > wide_count(&digits) {
        return U256::ZERO;
    }
    let (kept, rest) = digits.div_rem(U256::power_of_ten(places));
    let half = U256::power_of_ten(places - 1).mul_digit(5);
    let up = match rest.cmp(&half) {
        Ordering::Less => false,
        Ordering::Greater => true,
        Ordering::Equal => ties == Ties::Up || kept.digits()[0] & 1 == 1,
    };
    if up { kept.strict_add_digit(1) } else { kept }
}

/// Drops digits, then appends one that only says whether the dropped ones were zero.
fn with_trace(digits: u128, places: u32) -> U256 {
    let unit = POWERS.get(places as usize).copied().unwrap_or(u128::MAX);
    let (kept, rest) = (digits / unit, digits % unit);
    wide(kept).mul_digit(10).strict_add_digit(u64::from(rest != 0))
}

fn scaled_up(digits: u128, places: u32) -> U256 {
    wide(digits).strict_mul(U256::power_of_ten(places))
}

fn wide(digits: u128) -> U256 {
    U256::from_digits([digits as u64, (digits >> 64) as u64, 0, 0])
}

fn narrow(digits: &U256) -> u128 {
    let [low, high, ..] = *digits.digits();
    u128::from(high) << 64 | u128::from(low)
}

fn count(digits: u128) -> u32 {
    digits.checked_ilog10().map_or(1, |power| power + 1)
}

fn wide_count(digits: &U256) -> u32 {
    if *digits == U256::ZERO { 1 } else { digits.decimal_digits() }
}

const fn powers() -> [u128; DIGITS_MAX as usize + 1] {
    let mut powers = [1; DIGITS_MAX as usize + 1];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
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
        let parts = parts.reduced();
        let sign = if parts.negative { "-" } else { "" };
        format!("{sign}{}e{}", parts.digits, parts.exponent)
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
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

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
                    if let Some(quotient) = a.div_half_up(b) {
                        prop_assert_eq!(quotient.exponent, a.exponent);
                    }
                }
                prop_assert_eq!(a.compare(b), b.compare(a).reverse());
                prop_assert_eq!(a.add(b.negate()).is_zero(), a.compare(b) == Ordering::Equal);
                a.to_i64();
                a.truncated();

            }
        }
    }
}
