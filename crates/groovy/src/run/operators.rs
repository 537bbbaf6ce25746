//! Operators, with Groovy's rules for mixed numbers.

use crate::ast::Binary;
use crate::decimal::Dec;
use crate::value::{Id, MatcherObject, Val};

use super::machine::{Machine, Thrown, id_of};

/// Two numbers brought to the wider type of the two.
pub(crate) enum Pair {
    Int(i32, i32),
    Long(i64, i64),
    Big(i128, i128),
    Dec(Dec, Dec),
    Double(f64, f64),
}

/// `None` unless both are numbers.
pub(crate) fn promote(a: &Val, b: &Val) -> Option<Pair> {
    if let (Val::Int(a), Val::Int(b)) = (a, b) {
        return Some(Pair::Int(*a, *b));
    }
    let (left, right) = (rank(a)?, rank(b)?);
    Some(match left.max(right) {
        0 | 1 => Pair::Long(to_i64(a)?, to_i64(b)?),
        2 => Pair::Big(to_i128(a)?, to_i128(b)?),
        3 => Pair::Dec(to_dec(a)?, to_dec(b)?),
        _ => Pair::Double(to_f64(a)?, to_f64(b)?),
    })
}

fn rank(value: &Val) -> Option<u8> {
    Some(match value {
        Val::Int(_) | Val::Char(_) => 0,
        Val::Long(_) => 1,
        Val::BigInt(_) => 2,
        Val::Dec(_) => 3,
        Val::Double(_) | Val::Float(_) => 4,
        _ => return None,
    })
}

pub(crate) fn is_number(value: &Val) -> bool {
    rank(value).is_some() && !matches!(value, Val::Char(_))
}

fn to_i64(value: &Val) -> Option<i64> {
    match value {
        Val::Int(number) => Some(i64::from(*number)),
        Val::Long(number) => Some(*number),
        Val::Char(c) => Some(i64::from(u32::from(*c))),
        _ => None,
    }
}

/// Cut towards zero; `None` for what is no number or does not fit.
pub(crate) fn to_i128(value: &Val) -> Option<i128> {
    match value {
        Val::BigInt(number) => Some(*number),
        Val::Dec(number) => number.to_i128(),
        Val::Double(number) => Some(*number as i128),
        Val::Float(number) => Some(*number as i128),
        _ => to_i64(value).map(i128::from),
    }
}

pub(crate) fn to_dec(value: &Val) -> Option<Dec> {
    match value {
        Val::Dec(number) => Some(*number),
        Val::Double(number) => Dec::from_f64(*number),
        Val::Float(number) => Dec::parse(&crate::decimal::java_float(*number)),
        _ => to_i128(value).map(Dec::whole),
    }
}

pub(crate) fn to_f64(value: &Val) -> Option<f64> {
    match value {
        Val::Double(number) => Some(*number),
        Val::Float(number) => Some(f64::from(*number)),
        Val::Dec(number) => Some(number.to_f64()),
        Val::BigInt(number) => Some(*number as f64),
        _ => to_i64(value).map(|number| number as f64),
    }
}

impl Machine<'_> {
    pub(crate) fn binary(
        &mut self,
        operator: Binary,
        left: Val,
        right: Val,
        at: u32,
    ) -> Thrown<Val> {
        match operator {
            Binary::Equal => Ok(Val::Bool(self.equal(&left, &right, at)?)),
            Binary::NotEqual => Ok(Val::Bool(!self.equal(&left, &right, at)?)),
            Binary::Same => Ok(Val::Bool(same(&left, &right))),
            Binary::NotSame => Ok(Val::Bool(!same(&left, &right))),
            Binary::Compare => {
                let order = self.compare(&left, &right, at)?;
                Ok(Val::Int(order as i32))
            }
            Binary::Less => Ok(Val::Bool(self.compare(&left, &right, at)?.is_lt())),
            Binary::LessEqual => Ok(Val::Bool(self.compare(&left, &right, at)?.is_le())),
            Binary::Greater => Ok(Val::Bool(self.compare(&left, &right, at)?.is_gt())),
            Binary::GreaterEqual => Ok(Val::Bool(self.compare(&left, &right, at)?.is_ge())),
            Binary::Find => self.matcher(&left, &right, at).map(Val::Matcher),
            Binary::Match => self.match_whole(&left, &right, at).map(Val::Bool),
            _ => self.compute(operator, &left, &right, at),
        }
    }

    fn compute(&mut self, operator: Binary, left: &Val, right: &Val, at: u32) -> Thrown<Val> {
        if let Some(pair) = promote(left, right) {
            let both_chars = matches!((left, right), (Val::Char(_), Val::Char(_)));
            if !both_chars || operator != Binary::Add {
                return self.arithmetic(operator, pair, left, right, at);
            }
        }
        if let (Val::Bool(a), Val::Bool(b)) = (left, right) {
            match operator {
                Binary::BitAnd => return Ok(Val::Bool(a & b)),
                Binary::BitOr => return Ok(Val::Bool(a | b)),
                Binary::BitXor => return Ok(Val::Bool(a ^ b)),
                _ => {}
            }
        }
        let is_text = left.as_text().is_some() || right.as_text().is_some();
        if operator == Binary::Add
            && (is_text && !is_collection(left) || matches!(left, Val::Builder(_) | Val::Char(_)))
        {
            return self.concatenate(left, right, at);
        }
        if left.is_null() {
            let right = self.show(right, at)?;
            let message = format!("Cannot execute null{}{right}", symbol(operator));
            return Err(self.throw("java.lang.NullPointerException", message, at));
        }
        let name = method_name(operator);
        match self.operate(operator, left, right, at)? {
            Some(value) => Ok(value),
            None => Err(self.no_method(left, name, std::slice::from_ref(right), at)),
        }
    }

    fn concatenate(&mut self, left: &Val, right: &Val, at: u32) -> Thrown<Val> {
        let mut text = String::new();
        self.show_into(left, &mut text, at)?;
        self.show_into(right, &mut text, at)?;
        self.text(text, at)
    }

    /// Operators on what is no number.
    fn operate(
        &mut self,
        operator: Binary,
        left: &Val,
        right: &Val,
        at: u32,
    ) -> Thrown<Option<Val>> {
        Ok(Some(match (operator, left, right) {
            (Binary::Mul, Val::Text(_) | Val::GString(_), _) if is_number(right) => {
                let text = left.as_text().cloned().unwrap_or_else(|| "".into());
                let count = self.count_of(right, at)?;
                self.bytes(text.len().saturating_mul(count), at)?;
                Val::text(text.repeat(count))
            }
            (Binary::Sub, Val::Text(text) | Val::GString(text), Val::Pattern(pattern)) => {
                let cut = pattern.find_at(text, 0).and_then(|groups| groups[0]);
                match cut {
                    Some((from, to)) => Val::text(format!("{}{}", &text[..from], &text[to..])),
                    None => left.clone(),
                }
            }
            (Binary::Sub, Val::Text(text) | Val::GString(text), _) => {
                let cut = self.show(right, at)?;
                Val::text(text.replacen(&cut, "", 1))
            }
            (Binary::ShiftLeft, Val::Text(_) | Val::GString(_), _) => {
                return self.concatenate(left, right, at).map(Some);
            }
            (Binary::ShiftLeft, Val::Builder(id), _) => {
                let text = self.show(right, at)?;
                self.bytes(text.len(), at)?;
                self.heap.builders[*id as usize].push_str(&text);
                left.clone()
            }
            (Binary::ShiftLeft, Val::List(_), _) => {
                self.list_add(left, right.clone(), at)?;
                left.clone()
            }
            (Binary::ShiftLeft, Val::Set(id), _) => {
                self.map_put(*id, right.clone(), Val::Null, at)?;
                left.clone()
            }
            (Binary::ShiftLeft, Val::Map(id), Val::Map(_)) => {
                self.map_put_all(*id, right, at)?;
                left.clone()
            }
            (Binary::Add, Val::Map(id), Val::Map(_)) => {
                let copy = self.copy_map(*id, at)?;
                self.map_put_all(copy, right, at)?;
                Val::Map(copy)
            }
            (Binary::Sub, Val::Map(id), Val::Map(_)) => {
                let copy = self.copy_map(*id, at)?;
                for entry in self.items(right, at)?.unwrap_or_default() {
                    if let Val::Pair(pair) = entry {
                        let key = self.heap.pairs[pair as usize].0.clone();
                        self.map_remove(copy, &key, at)?;
                    }
                }
                Val::Map(copy)
            }
            (Binary::Add, _, _) if is_collection(left) => {
                let mut items = self.items(left, at)?.unwrap_or_default();
                match right {
                    _ if is_collection(right) => {
                        items.extend(self.items(right, at)?.unwrap_or_default())
                    }
                    _ => items.push(right.clone()),
                }
                self.same_kind(left, items, at)?
            }
            (Binary::Sub, _, _) if is_collection(left) => {
                let items = self.items(left, at)?.unwrap_or_default();
                let cut = if is_collection(right) {
                    self.items(right, at)?.unwrap_or_default()
                } else {
                    vec![right.clone()]
                };
                let mut kept = Vec::new();
                for item in items {
                    if !self.contains(&cut, &item, at)? {
                        kept.push(item);
                    }
                }
                self.same_kind(left, kept, at)?
            }
            (Binary::Mul, Val::List(_), _) if is_number(right) => {
                let items = self.items(left, at)?.unwrap_or_default();
                let count = self.count_of(right, at)?;
                self.slots(items.len().saturating_mul(count), at)?;
                let repeated = (0..count).flat_map(|_| items.iter().cloned()).collect();
                self.new_list(repeated, at)?
            }
            (Binary::Add, Val::Date(ms), Val::Int(days)) => {
                Val::Date(ms.saturating_add(i64::from(*days) * MS_PER_DAY))
            }
            (Binary::Sub, Val::Date(ms), Val::Int(days)) => {
                Val::Date(ms.saturating_sub(i64::from(*days) * MS_PER_DAY))
            }
            (Binary::Sub, Val::Date(a), Val::Date(b)) => {
                Val::Int(i32::try_from(a.saturating_sub(*b) / MS_PER_DAY).unwrap_or(i32::MAX))
            }
            (Binary::BitAnd, _, _) if is_collection(left) && is_collection(right) => {
                return self.invoke(left, "intersect", vec![right.clone()], at).map(Some);
            }
            _ => return Ok(None),
        }))
    }

    fn arithmetic(
        &mut self,
        operator: Binary,
        pair: Pair,
        left: &Val,
        right: &Val,
        at: u32,
    ) -> Thrown<Val> {
        let result = match operator {
            Binary::Add => add(pair),
            Binary::Sub => subtract(pair),
            Binary::Mul => multiply(pair),
            Binary::Div => return self.divide(&pair, at),
            Binary::Rem => return self.remainder(&pair, at),
            Binary::Power => return self.power(left, right, at),
            _ => bits(operator, &pair, left, right),
        };
        match result {
            Some(value) => Ok(value),
            None if matches!(operator, Binary::Add | Binary::Sub | Binary::Mul) => {
                Err(self.too_many_digits(at))
            }
            None => {
                Err(self.no_method(left, method_name(operator), std::slice::from_ref(right), at))
            }
        }
    }

    fn divide(&mut self, pair: &Pair, at: u32) -> Thrown<Val> {
        let (a, b) = match pair {
            Pair::Double(a, b) => return Ok(Val::Double(a / b)),
            Pair::Int(a, b) => (Dec::whole((*a).into()), Dec::whole((*b).into())),
            Pair::Long(a, b) => (Dec::whole((*a).into()), Dec::whole((*b).into())),
            Pair::Big(a, b) => (Dec::whole(*a), Dec::whole(*b)),
            Pair::Dec(a, b) => (*a, *b),
        };
        if b.is_zero() {
            return Err(self.throw("java.lang.ArithmeticException", "Division by zero", at));
        }
        match a.div(b) {
            Some(quotient) => Ok(Val::Dec(quotient)),
            None => Err(self.too_many_digits(at)),
        }
    }

    fn remainder(&mut self, pair: &Pair, at: u32) -> Thrown<Val> {
        let by_zero = match pair {
            Pair::Int(_, b) => *b == 0,
            Pair::Long(_, b) => *b == 0,
            Pair::Big(_, b) => *b == 0,
            Pair::Dec(_, b) => b.is_zero(),
            Pair::Double(..) => false,
        };
        if by_zero {
            return Err(self.throw("java.lang.ArithmeticException", "/ by zero", at));
        }
        let result = match pair {
            Pair::Int(a, b) => Some(Val::Int(a.wrapping_rem(*b))),
            Pair::Long(a, b) => Some(Val::Long(a.wrapping_rem(*b))),
            Pair::Big(a, b) => Some(Val::BigInt(a.wrapping_rem(*b))),
            Pair::Dec(a, b) => a.rem(*b).map(Val::Dec),
            Pair::Double(a, b) => Some(Val::Double(a % b)),
        };
        match result {
            Some(value) => Ok(value),
            None => Err(self.too_many_digits(at)),
        }
    }

    pub(crate) fn power(&mut self, base: &Val, exponent: &Val, at: u32) -> Thrown<Val> {
        let times = match exponent {
            Val::Int(times) => u32::try_from(*times).ok(),
            Val::Long(times) => u32::try_from(*times).ok(),
            _ => None,
        };
        let whole =
            to_i128(base).filter(|_| !matches!(base, Val::Dec(_) | Val::Double(_) | Val::Float(_)));
        match (whole, times, base) {
            (Some(whole), Some(times), _) => {
                let Some(power) = whole.checked_pow(times) else {
                    return Err(self.too_many_digits(at));
                };
                Ok(match base {
                    Val::Int(_) => i32::try_from(power).map_or(Val::BigInt(power), Val::Int),
                    Val::Long(_) => i64::try_from(power).map_or(Val::BigInt(power), Val::Long),
                    _ => Val::BigInt(power),
                })
            }
            (_, Some(times), Val::Dec(base)) => {
                let mut power = Some(Dec::whole(1));
                for _ in 0..times.min(200) {
                    power = power.and_then(|p| p.mul(*base));
                }
                match power {
                    Some(power) if times <= 200 => Ok(Val::Dec(power)),
                    _ => Err(self.too_many_digits(at)),
                }
            }
            _ => {
                let (base, exponent) = (to_f64(base).unwrap_or(f64::NAN), to_f64(exponent));
                let power = base.powf(exponent.unwrap_or(f64::NAN));
                Ok(match whole {
                    Some(_) if power.fract() == 0.0 && power.abs() <= f64::from(i32::MAX) => {
                        Val::Int(power as i32)
                    }
                    _ => Val::Double(power),
                })
            }
        }
    }

    pub(crate) fn negate(&mut self, value: &Val, at: u32) -> Thrown<Val> {
        let negated = match value {
            Val::Int(number) => Some(Val::Int(number.wrapping_neg())),
            Val::Long(number) => Some(Val::Long(number.wrapping_neg())),
            Val::BigInt(number) => number.checked_neg().map(Val::BigInt),
            Val::Dec(number) => number.neg().map(Val::Dec),
            Val::Double(number) => Some(Val::Double(-number)),
            Val::Float(number) => Some(Val::Float(-number)),
            _ => None,
        };
        match negated {
            Some(value) => Ok(value),
            None => Err(self.no_method(value, "negative", &[], at)),
        }
    }

    /// How often: a number that is not negative.
    fn count_of(&mut self, value: &Val, at: u32) -> Thrown<usize> {
        let count = self.whole(value, at)?;
        match usize::try_from(count) {
            Ok(count) => Ok(count),
            Err(_) => {
                let message = "multiply() should be called with a number of 0 or greater";
                Err(self.throw("java.lang.IllegalArgumentException", message, at))
            }
        }
    }

    pub(crate) fn matcher(&mut self, text: &Val, pattern: &Val, at: u32) -> Thrown<Id> {
        let text: std::rc::Rc<str> = self.show(text, at)?.into();
        let pattern = match pattern {
            Val::Pattern(pattern) => pattern.clone(),
            other => {
                let source = self.show(other, at)?;
                self.pattern(&source, at)?
            }
        };
        self.bytes(128, at)?;
        self.heap.matchers.push(MatcherObject { pattern, text, from: 0, last: None });
        Ok(id_of(self.heap.matchers.len() - 1))
    }

    fn match_whole(&mut self, text: &Val, pattern: &Val, at: u32) -> Thrown<bool> {
        let text = self.show(text, at)?;
        self.steps(text.len() / 4, at)?;
        let pattern = match pattern {
            Val::Pattern(pattern) => pattern.clone(),
            other => {
                let source = self.show(other, at)?;
                self.pattern(&source, at)?
            }
        };
        Ok(pattern.is_whole_match(&text))
    }

    pub(crate) fn too_many_digits(&mut self, at: u32) -> super::machine::Stop {
        let message = "the result has more than 38 digits, which is not supported";
        self.throw("java.lang.ArithmeticException", message, at)
    }
}

pub(crate) const MS_PER_DAY: i64 = 86_400_000;

fn add(pair: Pair) -> Option<Val> {
    Some(match pair {
        Pair::Int(a, b) => Val::Int(a.wrapping_add(b)),
        Pair::Long(a, b) => Val::Long(a.wrapping_add(b)),
        Pair::Big(a, b) => Val::BigInt(a.checked_add(b)?),
        Pair::Dec(a, b) => Val::Dec(a.add(b)?),
        Pair::Double(a, b) => Val::Double(a + b),
    })
}

fn subtract(pair: Pair) -> Option<Val> {
    Some(match pair {
        Pair::Int(a, b) => Val::Int(a.wrapping_sub(b)),
        Pair::Long(a, b) => Val::Long(a.wrapping_sub(b)),
        Pair::Big(a, b) => Val::BigInt(a.checked_sub(b)?),
        Pair::Dec(a, b) => Val::Dec(a.sub(b)?),
        Pair::Double(a, b) => Val::Double(a - b),
    })
}

fn multiply(pair: Pair) -> Option<Val> {
    Some(match pair {
        Pair::Int(a, b) => Val::Int(a.wrapping_mul(b)),
        Pair::Long(a, b) => Val::Long(a.wrapping_mul(b)),
        Pair::Big(a, b) => Val::BigInt(a.checked_mul(b)?),
        Pair::Dec(a, b) => Val::Dec(a.mul(b)?),
        Pair::Double(a, b) => Val::Double(a * b),
    })
}

fn bits(operator: Binary, pair: &Pair, left: &Val, right: &Val) -> Option<Val> {
    // A shift keeps the type of what is shifted.
    let distance = || to_i128(right).map(|count| count as u32);
    match (operator, left) {
        (Binary::ShiftLeft, Val::Int(a)) => return Some(Val::Int(a.wrapping_shl(distance()?))),
        (Binary::ShiftLeft, Val::Long(a)) => return Some(Val::Long(a.wrapping_shl(distance()?))),
        (Binary::ShiftRight, Val::Int(a)) => return Some(Val::Int(a.wrapping_shr(distance()?))),
        (Binary::ShiftRight, Val::Long(a)) => return Some(Val::Long(a.wrapping_shr(distance()?))),
        (Binary::ShiftRightUnsigned, Val::Int(a)) => {
            return Some(Val::Int((*a as u32).wrapping_shr(distance()?) as i32));
        }
        (Binary::ShiftRightUnsigned, Val::Long(a)) => {
            return Some(Val::Long((*a as u64).wrapping_shr(distance()?) as i64));
        }
        _ => {}
    }
    Some(match (operator, pair) {
        (Binary::BitAnd, Pair::Int(a, b)) => Val::Int(a & b),
        (Binary::BitOr, Pair::Int(a, b)) => Val::Int(a | b),
        (Binary::BitXor, Pair::Int(a, b)) => Val::Int(a ^ b),
        (Binary::BitAnd, Pair::Long(a, b)) => Val::Long(a & b),
        (Binary::BitOr, Pair::Long(a, b)) => Val::Long(a | b),
        (Binary::BitXor, Pair::Long(a, b)) => Val::Long(a ^ b),
        (Binary::BitAnd, Pair::Big(a, b)) => Val::BigInt(a & b),
        (Binary::BitOr, Pair::Big(a, b)) => Val::BigInt(a | b),
        (Binary::BitXor, Pair::Big(a, b)) => Val::BigInt(a ^ b),
        _ => return None,
    })
}

pub(crate) fn is_collection(value: &Val) -> bool {
    matches!(value, Val::List(_) | Val::Array(..) | Val::Set(_) | Val::Range(_))
}

/// The very same object.
pub(crate) fn same(a: &Val, b: &Val) -> bool {
    match (a, b) {
        (Val::Null, Val::Null) => true,
        (Val::Bool(a), Val::Bool(b)) => a == b,
        (Val::Int(a), Val::Int(b)) => a == b,
        (Val::Long(a), Val::Long(b)) => a == b,
        (Val::Text(a), Val::Text(b)) => a == b,
        (Val::List(a), Val::List(b)) | (Val::Map(a), Val::Map(b)) | (Val::Set(a), Val::Set(b)) => {
            a == b
        }
        (Val::Error(a), Val::Error(b)) | (Val::Closure(a), Val::Closure(b)) => a == b,
        _ => false,
    }
}

fn symbol(operator: Binary) -> &'static str {
    match operator {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "/",
        Binary::Rem => "%",
        Binary::Power => "**",
        _ => " operator ",
    }
}

fn method_name(operator: Binary) -> &'static str {
    match operator {
        Binary::Add => "plus",
        Binary::Sub => "minus",
        Binary::Mul => "multiply",
        Binary::Div => "div",
        Binary::Rem => "remainder",
        Binary::Power => "power",
        Binary::ShiftLeft => "leftShift",
        Binary::ShiftRight => "rightShift",
        Binary::ShiftRightUnsigned => "rightShiftUnsigned",
        Binary::BitAnd => "and",
        Binary::BitOr => "or",
        _ => "xor",
    }
}
