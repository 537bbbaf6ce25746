use crate::classes::Class;
use crate::decimal::Rounding;
use crate::run::{Machine, Thrown, to_dec, to_f64, to_i128, to_number};
use crate::value::Val;

pub(super) fn invoke(
    m: &mut Machine<'_>,
    target: &Val,
    name: &str,
    arguments: &[Val],
    at: u32,
) -> Thrown<Option<Val>> {
    use crate::ast::Binary;
    let operator = match name {
        "plus" | "add" => Some(Binary::Add),
        "minus" | "subtract" => Some(Binary::Sub),
        "multiply" => Some(Binary::Mul),
        "div" | "divide" => Some(Binary::Div),
        "mod" | "remainder" => Some(Binary::Rem),
        "power" | "pow" => Some(Binary::Power),
        "and" => Some(Binary::BitAnd),
        "or" => Some(Binary::BitOr),
        "xor" => Some(Binary::BitXor),
        _ => None,
    };
    if let (Some(operator), [other]) = (operator, arguments) {
        return m.binary(operator, target.clone(), other.clone(), at).map(Some);
    }
    if let Some(class) = conversion(name)
        && arguments.is_empty()
    {
        return Ok(to_number(target, Class::known(class)));
    }
    Ok(Some(match (name, arguments) {
        ("divide", [other, Val::Int(scale), Val::Rounding(mode)]) => {
            divide(m, target, other, *scale, *mode, at)?
        }
        ("divide", [other, Val::Rounding(mode)]) => {
            let scale = to_dec(target).map_or(0, |number| number.scale);
            divide(m, target, other, scale, *mode, at)?
        }
        ("intdiv", [other]) => match (to_i128(target), to_i128(other)) {
            (Some(_), Some(0)) => {
                return Err(m.throw("java.lang.ArithmeticException", "Division by zero", at));
            }
            (Some(a), Some(b)) => whole_like(target, a / b),
            _ => return Ok(None),
        },
        ("abs", []) => match target {
            Val::Int(number) => Val::Int(number.wrapping_abs()),
            Val::Long(number) => Val::Long(number.wrapping_abs()),
            Val::Double(number) => Val::Double(number.abs()),
            _ if m.compare(target, &Val::Int(0), at)?.is_lt() => m.negate(target, at)?,
            _ => target.clone(),
        },
        ("negate", []) => m.negate(target, at)?,
        ("signum", []) => Val::Int(m.compare(target, &Val::Int(0), at)? as i32),
        ("next", []) => m.binary(Binary::Add, target.clone(), Val::Int(1), at)?,
        ("previous", []) => m.binary(Binary::Sub, target.clone(), Val::Int(1), at)?,
        ("round", []) => match target {
            Val::Double(number) => Val::Long((number + 0.5).floor() as i64),
            Val::Float(number) => Val::Int((number + 0.5).floor() as i32),
            _ => return scaled(m, target, 0, Rounding::HalfUp, at).map(Some),
        },
        ("round" | "trunc", [Val::Int(scale)]) => {
            let mode = if name == "round" { Rounding::HalfUp } else { Rounding::Down };
            return rounded(m, target, *scale, mode, at).map(Some);
        }
        ("trunc", []) => return rounded(m, target, 0, Rounding::Down, at).map(Some),
        ("setScale", [Val::Int(scale)]) => scaled(m, target, *scale, Rounding::Unnecessary, at)?,
        ("setScale", [Val::Int(scale), Val::Rounding(mode)]) => {
            scaled(m, target, *scale, *mode, at)?
        }
        ("setScale", [Val::Int(scale), Val::Int(mode)]) => {
            scaled(m, target, *scale, rounding_of(*mode), at)?
        }
        ("scale", []) => Val::Int(to_dec(target).map_or(0, |number| number.scale)),
        ("precision", []) => Val::Int(to_dec(target).map_or(0, |number| number.precision() as i32)),
        ("stripTrailingZeros", []) => match to_dec(target) {
            Some(number) => Val::Dec(number.stripped()),
            None => return Ok(None),
        },
        ("toPlainString", []) => match to_dec(target) {
            Some(number) => m.text(number.to_plain(), at)?,
            None => return Ok(None),
        },
        ("max" | "min", [other]) => {
            let order = m.compare(target, other, at)?;
            let takes_own = if name == "max" { order.is_ge() } else { order.is_le() };
            if takes_own { target.clone() } else { other.clone() }
        }
        ("isNaN", []) => Val::Bool(to_f64(target).is_some_and(f64::is_nan)),
        ("isInfinite", []) => Val::Bool(to_f64(target).is_some_and(f64::is_infinite)),
        ("hashCode", []) => Val::Int(to_i128(target).unwrap_or_default() as i32),
        ("compareTo", [other]) => Val::Int(m.compare(target, other, at)? as i32),
        ("charValue", []) => target.clone(),
        ("isDigit", []) => Val::Bool(matches!(target, Val::Char(c) if c.is_ascii_digit())),
        ("isLetter", []) => Val::Bool(matches!(target, Val::Char(c) if c.is_alphabetic())),
        ("isUpperCase", []) => Val::Bool(matches!(target, Val::Char(c) if c.is_uppercase())),
        ("toUpperCase", []) => match target {
            Val::Char(c) => Val::Char(c.to_uppercase().next().unwrap_or(*c)),
            _ => return Ok(None),
        },
        ("toLowerCase", []) => match target {
            Val::Char(c) => Val::Char(c.to_lowercase().next().unwrap_or(*c)),
            _ => return Ok(None),
        },
        ("times", [Val::Closure(closure)]) => {
            let count = m.whole(target, at)?;
            return count_through(m, 0, count.saturating_sub(1), 1, *closure, at);
        }
        ("upto", [to, Val::Closure(closure)]) => {
            let (from, to) = (m.whole(target, at)?, m.whole(to, at)?);
            return count_through(m, from, to, 1, *closure, at);
        }
        ("downto", [to, Val::Closure(closure)]) => {
            let (from, to) = (m.whole(target, at)?, m.whole(to, at)?);
            return count_through(m, from, to, -1, *closure, at);
        }
        ("step", [to, by, Val::Closure(closure)]) => {
            let (from, to, by) = (m.whole(target, at)?, m.whole(to, at)?, m.whole(by, at)?);
            let last = if by > 0 { to.saturating_sub(1) } else { to.saturating_add(1) };
            return count_through(m, from, last, by, *closure, at);
        }
        _ => return Ok(None),
    }))
}

fn conversion(name: &str) -> Option<&'static str> {
    Some(match name {
        "intValue" | "toInteger" => "java.lang.Integer",
        "longValue" | "toLong" => "java.lang.Long",
        "shortValue" => "java.lang.Short",
        "byteValue" => "java.lang.Byte",
        "doubleValue" | "toDouble" => "java.lang.Double",
        "floatValue" | "toFloat" => "java.lang.Float",
        "toBigDecimal" => "java.math.BigDecimal",
        "toBigInteger" => "java.math.BigInteger",
        _ => return None,
    })
}

fn count_through(
    m: &mut Machine<'_>,
    from: i64,
    last: i64,
    by: i64,
    closure: u32,
    at: u32,
) -> Thrown<Option<Val>> {
    if by == 0 {
        return Err(m.throw("java.lang.IllegalArgumentException", "a step of 0", at));
    }
    let mut next = Some(from);
    while let Some(number) = next.filter(|n| if by > 0 { *n <= last } else { *n >= last }) {
        let item = i32::try_from(number).map_or(Val::Long(number), Val::Int);
        m.call(closure, vec![item], at)?;
        next = number.checked_add(by);
    }
    Ok(Some(Val::Null))
}

fn whole_like(model: &Val, number: i128) -> Val {
    match model {
        Val::Int(_) => Val::Int(number as i32),
        Val::Long(_) => Val::Long(number as i64),
        _ => Val::BigInt(number),
    }
}

fn rounded(m: &mut Machine<'_>, target: &Val, scale: i32, mode: Rounding, at: u32) -> Thrown<Val> {
    match target {
        Val::Double(_) | Val::Float(_) => {
            let number = to_dec(target).and_then(|number| number.with_scale(scale, mode));
            Ok(number.map_or_else(|| target.clone(), |number| Val::Double(number.to_f64())))
        }
        _ => scaled(m, target, scale, mode, at),
    }
}

fn scaled(m: &mut Machine<'_>, target: &Val, scale: i32, mode: Rounding, at: u32) -> Thrown<Val> {
    match to_dec(target).and_then(|number| number.with_scale(scale, mode)) {
        Some(number) => Ok(Val::Dec(number)),
        None => Err(m.throw("java.lang.ArithmeticException", "Rounding necessary", at)),
    }
}

fn divide(
    m: &mut Machine<'_>,
    target: &Val,
    other: &Val,
    scale: i32,
    mode: Rounding,
    at: u32,
) -> Thrown<Val> {
    let (Some(a), Some(b)) = (to_dec(target), to_dec(other)) else {
        return Err(m.too_many_digits(at));
    };
    if b.is_zero() {
        return Err(m.throw("java.lang.ArithmeticException", "Division by zero", at));
    }
    // Two places more than asked for, and a mark for what is left, decide every rounding.
    let raised = a.with_scale(
        scale.saturating_add(2).saturating_add(b.scale).max(a.scale),
        Rounding::Unnecessary,
    );
    let quotient = raised.and_then(|a| {
        let digits = a.unscaled.checked_div(b.unscaled)?;
        let marked =
            if a.unscaled % b.unscaled == 0 { digits * 10 } else { digits * 10 + digits.signum() };
        let exact = crate::decimal::Dec { unscaled: marked, scale: a.scale - b.scale + 1 };
        exact.with_scale(scale, mode)
    });
    match quotient {
        Some(number) => Ok(Val::Dec(number)),
        None => Err(m.too_many_digits(at)),
    }
}

const ROUNDINGS: &[(&str, Rounding)] = &[
    ("UP", Rounding::Up),
    ("DOWN", Rounding::Down),
    ("CEILING", Rounding::Ceiling),
    ("FLOOR", Rounding::Floor),
    ("HALF_UP", Rounding::HalfUp),
    ("HALF_DOWN", Rounding::HalfDown),
    ("HALF_EVEN", Rounding::HalfEven),
    ("UNNECESSARY", Rounding::Unnecessary),
];

pub(super) fn rounding(name: &str) -> Option<Rounding> {
    let name = name.strip_prefix("ROUND_").unwrap_or(name);
    ROUNDINGS.iter().find(|(found, _)| *found == name).map(|(_, mode)| *mode)
}

/// By the number that the older constants of `BigDecimal` have.
fn rounding_of(number: i32) -> Rounding {
    let place = usize::try_from(number).unwrap_or(usize::MAX);
    ROUNDINGS.get(place).map_or(Rounding::Unnecessary, |(_, mode)| *mode)
}

pub(crate) fn rounding_name(mode: Rounding) -> &'static str {
    ROUNDINGS.iter().find(|(_, found)| *found == mode).map_or("", |(name, _)| name)
}
