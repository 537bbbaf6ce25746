//! `String.format` in its usual forms.

use crate::decimal::Rounding;
use crate::run::{Machine, Thrown, to_dec, to_i128};
use crate::value::Val;

/// Wider or more precise is refused.
const WIDTH_MAX: usize = 1_000;

pub(super) fn format(
    m: &mut Machine<'_>,
    pattern: &str,
    arguments: &[Val],
    at: u32,
) -> Thrown<String> {
    let mut out = String::new();
    let mut chars = pattern.chars().peekable();
    let mut next = 0;
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let Some(spec) = Spec::read(&mut chars) else {
            let message = format!("the format '{pattern}' is not supported");
            return Err(m.throw("java.lang.IllegalArgumentException", message, at));
        };
        match spec.conversion {
            'n' => out.push('\n'),
            '%' => out.push('%'),
            _ => {
                let index = match spec.index {
                    Some(index) => index,
                    None => {
                        next += 1;
                        next - 1
                    }
                };
                let Some(value) = arguments.get(index) else {
                    let message = format!("Format specifier '%{}'", spec.conversion);
                    return Err(m.throw("java.lang.IllegalArgumentException", message, at));
                };
                let text = one(m, &spec, value, at)?;
                out.push_str(&spec.padded(&text));
            }
        }
        m.bytes(out.len() / 8, at)?;
    }
    Ok(out)
}

struct Spec {
    index: Option<usize>,
    left: bool,
    zero: bool,
    plus: bool,
    grouped: bool,
    width: usize,
    precision: Option<usize>,
    conversion: char,
}

impl Spec {
    fn read(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<Self> {
        let mut spec = Self {
            index: None,
            left: false,
            zero: false,
            plus: false,
            grouped: false,
            width: 0,
            precision: None,
            conversion: 's',
        };
        loop {
            match chars.peek()? {
                '-' => spec.left = true,
                '0' => spec.zero = true,
                '+' => spec.plus = true,
                ',' => spec.grouped = true,
                ' ' | '#' | '(' => {}
                _ => break,
            }
            chars.next();
        }
        let number = |chars: &mut std::iter::Peekable<std::str::Chars<'_>>| {
            let mut value: Option<usize> = None;
            while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
                value = Some(value.unwrap_or(0).saturating_mul(10).saturating_add(digit as usize));
                chars.next();
            }
            value
        };
        let first = number(chars);
        if chars.peek() == Some(&'$') {
            chars.next();
            spec.index = first?.checked_sub(1);
            spec.zero |= chars.next_if_eq(&'0').is_some();
            spec.width = number(chars).unwrap_or(0);
        } else {
            spec.width = first.unwrap_or(0);
        }
        if chars.next_if_eq(&'.').is_some() {
            spec.precision = Some(number(chars)?);
        }
        spec.conversion = chars.next()?;
        let fits = spec.width <= WIDTH_MAX && spec.precision.is_none_or(|p| p <= WIDTH_MAX);
        fits.then_some(spec)
    }

    fn padded(&self, text: &str) -> String {
        let missing = self.width.saturating_sub(text.chars().count());
        if self.left {
            format!("{text}{}", " ".repeat(missing))
        } else if self.zero {
            let (sign, digits) = match text.strip_prefix(['-', '+']) {
                Some(digits) => (&text[..1], digits),
                None => ("", text),
            };
            format!("{sign}{}{digits}", "0".repeat(missing))
        } else {
            format!("{}{text}", " ".repeat(missing))
        }
    }
}

fn one(m: &mut Machine<'_>, spec: &Spec, value: &Val, at: u32) -> Thrown<String> {
    let text = match (spec.conversion, value) {
        ('s' | 'S', _) => {
            let text = m.show(value, at)?;
            let text = match spec.precision {
                Some(length) => text.chars().take(length).collect(),
                None => text,
            };
            if spec.conversion == 'S' { text.to_uppercase() } else { text }
        }
        ('b', Val::Null) => "false".to_owned(),
        ('b', Val::Bool(flag)) => flag.to_string(),
        ('b', _) => "true".to_owned(),
        (_, Val::Null) => "null".to_owned(),
        ('c', _) => m.show(value, at)?.chars().take(1).collect(),
        ('d', Val::Int(_) | Val::Long(_) | Val::BigInt(_)) => {
            let number = to_i128(value).unwrap_or_default();
            signed(spec, number.unsigned_abs().to_string(), number < 0)
        }
        ('x', Val::Int(number)) => format!("{number:x}"),
        ('X', Val::Int(number)) => format!("{number:X}"),
        ('x', Val::Long(number)) => format!("{number:x}"),
        ('o', Val::Int(number)) => format!("{number:o}"),
        ('f', Val::Dec(_) | Val::Double(_) | Val::Float(_)) => {
            let places = i32::try_from(spec.precision.unwrap_or(6)).unwrap_or(6);
            match to_dec(value).and_then(|number| number.with_scale(places, Rounding::HalfUp)) {
                Some(number) => {
                    let text = number.to_plain();
                    signed(spec, text.trim_start_matches('-').to_owned(), number.unscaled < 0)
                }
                None => m.show(value, at)?,
            }
        }
        _ => {
            let class = m.class_name(value);
            let message = format!("{} != {class}", spec.conversion);
            return Err(m.throw("java.lang.IllegalArgumentException", message, at));
        }
    };
    Ok(text)
}

fn signed(spec: &Spec, digits: String, negative: bool) -> String {
    let digits = if spec.grouped { grouped(&digits) } else { digits };
    match (negative, spec.plus) {
        (true, _) => format!("-{digits}"),
        (false, true) => format!("+{digits}"),
        _ => digits,
    }
}

fn grouped(digits: &str) -> String {
    let (whole, part) = match digits.find('.') {
        Some(point) => digits.split_at(point),
        None => (digits, ""),
    };
    let mut out = String::new();
    for (index, c) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            out.push(',');
        }
        out.push(c);
    }
    out + part
}

pub(super) fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or_default());
        let bits = (byte(0) << 16) | (byte(1) << 8) | byte(2);
        for place in 0..4 {
            if place > chunk.len() {
                out.push('=');
            } else {
                out.push(char::from(ALPHABET[(bits >> (18 - 6 * place)) as usize & 63]));
            }
        }
    }
    out
}
