use std::rc::Rc;

use crate::classes::Class;
use crate::run::{Machine, Thrown};
use crate::value::Val;

use super::int;

pub(super) fn invoke(
    m: &mut Machine<'_>,
    text: &Rc<str>,
    name: &str,
    arguments: &[Val],
    at: u32,
) -> Thrown<Option<Val>> {
    m.steps(text.len() / 64, at)?;
    let mut shown = Vec::with_capacity(arguments.len());
    for argument in arguments {
        shown.push(m.characters(argument).unwrap_or_else(|| "".into()));
    }
    let given: Vec<&str> = shown.iter().map(|text| &**text).collect();
    let are_texts = arguments.iter().all(|argument| m.characters(argument).is_some());
    let made = |m: &mut Machine<'_>, text: String| m.text(text, at).map(Some);
    match (name, arguments.len()) {
        ("length" | "size", 0) => return Ok(Some(int(text.chars().count()))),
        ("toUpperCase", _) => return made(m, text.to_uppercase()),
        ("toLowerCase", _) => return made(m, text.to_lowercase()),
        ("trim" | "strip", 0) => return made(m, text.trim().to_owned()),
        ("stripIndent" | "stripMargin" | "intern" | "normalize", 0) => {
            return made(m, text.to_string());
        }
        ("reverse", 0) => return made(m, text.chars().rev().collect()),
        ("capitalize", 0) => return made(m, crate::run::capitalised(text)),
        ("uncapitalize", 0) => {
            let mut chars = text.chars();
            let first = chars.next().map(|c| c.to_lowercase().collect::<String>());
            return made(m, first.unwrap_or_default() + chars.as_str());
        }
        ("isEmpty", 0) => return Ok(Some(Val::Bool(text.is_empty()))),
        ("isBlank" | "isAllWhitespace", 0) => {
            return Ok(Some(Val::Bool(text.trim().is_empty())));
        }
        ("hashCode", 0) => return Ok(Some(Val::Int(super::object::java_hash(text)))),
        ("toInteger", 0) => return parse(m, text, "java.lang.Integer", at),
        ("toLong", 0) => return parse(m, text, "java.lang.Long", at),
        ("toDouble", 0) => return parse(m, text, "java.lang.Double", at),
        ("toFloat", 0) => return parse(m, text, "java.lang.Float", at),
        ("toBigDecimal", 0) => return parse(m, text, "java.math.BigDecimal", at),
        ("toBigInteger", 0) => return parse(m, text, "java.math.BigInteger", at),
        ("toBoolean", 0) => {
            let is_true = matches!(text.trim().to_lowercase().as_str(), "true" | "y" | "1");
            return Ok(Some(Val::Bool(is_true)));
        }
        ("isInteger", 0) => return Ok(Some(Val::Bool(text.trim().parse::<i32>().is_ok()))),
        ("isLong", 0) => return Ok(Some(Val::Bool(text.trim().parse::<i64>().is_ok()))),
        ("isNumber" | "isDouble" | "isBigDecimal" | "isFloat", 0) => {
            return Ok(Some(Val::Bool(crate::decimal::Dec::parse(text.trim()).is_some())));
        }
        ("isBigInteger", 0) => return Ok(Some(Val::Bool(text.trim().parse::<i128>().is_ok()))),
        ("toCharArray" | "getChars", 0) => {
            let chars: Vec<Val> = text.chars().map(Val::Char).collect();
            m.slots(chars.len(), at)?;
            return m.new_array_of(chars, "java.lang.Character", at).map(Some);
        }
        ("getBytes", _) => {
            m.slots(text.len(), at)?;
            let bytes = text.bytes().map(|byte| Val::Int(i32::from(byte as i8))).collect();
            return m.new_array_of(bytes, "java.lang.Byte", at).map(Some);
        }
        ("readLines", 0) | ("lines", 0) => {
            let lines = text.lines().map(Val::text).collect::<Vec<_>>();
            return m.new_list(lines, at).map(Some);
        }
        ("tokenize", 0) => return tokens(m, text, " \t\n\r\u{c}", at),
        ("multiply" | "repeat", 1) => {
            return m
                .binary(crate::ast::Binary::Mul, Val::Text(text.clone()), arguments[0].clone(), at)
                .map(Some);
        }
        ("plus", 1) => {
            let mut joined = text.to_string();
            m.show_into(&arguments[0], &mut joined, at)?;
            return made(m, joined);
        }
        ("substring" | "charAt" | "codePointAt" | "subSequence" | "take" | "drop" | "getAt", _) => {
            return by_index(m, text, name, arguments, at);
        }
        ("padLeft" | "padRight" | "center", 1 | 2) => return pad(m, text, name, arguments, at),
        ("formatted", _) => {
            let text = super::format::format(m, text, arguments, at)?;
            return made(m, text);
        }
        ("matches" | "replaceAll" | "replaceFirst" | "split" | "find" | "findAll", _) => {
            return super::matcher::invoke_text(m, text, name, arguments, at);
        }
        ("join", _) => return Ok(None),
        _ if !are_texts => return Ok(None),
        _ => {}
    }
    Ok(Some(match (name, given.as_slice()) {
        ("contains", [part]) => Val::Bool(text.contains(part)),
        ("startsWith", [part]) => Val::Bool(text.starts_with(part)),
        ("endsWith", [part]) => Val::Bool(text.ends_with(part)),
        ("equalsIgnoreCase", [other]) => Val::Bool(text.to_lowercase() == other.to_lowercase()),
        ("compareToIgnoreCase", [other]) => {
            Val::Int(text.to_lowercase().cmp(&other.to_lowercase()) as i32)
        }
        ("contentEquals", [other]) => Val::Bool(&**text == *other),
        ("compareTo", [other]) => Val::Int(java_compare(text, other)),
        ("indexOf", [part]) => position(text, text.find(part)),
        ("lastIndexOf", [part]) => position(text, text.rfind(part)),
        ("concat", [other]) => m.text(format!("{text}{other}"), at)?,
        ("minus", [part]) => m.text(text.replacen(part, "", 1), at)?,
        ("replace", [from, to]) => {
            let grown = text.matches(from).count().saturating_mul(to.len());
            m.bytes(grown.saturating_add(text.len()), at)?;
            Val::text(text.replace(from, to))
        }
        ("count", [part]) => int(text.matches(part).count()),
        ("tokenize", [separators]) => return tokens(m, text, separators, at),
        _ => return Ok(None),
    }))
}

fn parse(m: &mut Machine<'_>, text: &str, class: &'static str, at: u32) -> Thrown<Option<Val>> {
    m.parse_number(text.trim(), Class::known(class), at).map(Some)
}

fn tokens(m: &mut Machine<'_>, text: &str, separators: &str, at: u32) -> Thrown<Option<Val>> {
    let parts: Vec<Val> = text
        .split(|c| separators.contains(c))
        .filter(|part| !part.is_empty())
        .map(Val::text)
        .collect();
    m.bytes(text.len(), at)?;
    m.new_list(parts, at).map(Some)
}

/// A byte offset as an index of characters; -1 for none.
fn position(text: &str, offset: Option<usize>) -> Val {
    offset.map_or(Val::Int(-1), |offset| int(text[..offset].chars().count()))
}

/// The difference of the first units that differ, else of the lengths.
fn java_compare(a: &str, b: &str) -> i32 {
    let (mut left, mut right) = (a.encode_utf16(), b.encode_utf16());
    loop {
        match (left.next(), right.next()) {
            (Some(x), Some(y)) if x == y => {}
            (Some(x), Some(y)) => return i32::from(x) - i32::from(y),
            (None, None) => return 0,
            (x, y) => {
                let rest = (
                    left.count() + usize::from(x.is_some()),
                    right.count() + usize::from(y.is_some()),
                );
                let signed = |count: usize| i32::try_from(count).unwrap_or(i32::MAX);
                return signed(rest.0) - signed(rest.1);
            }
        }
    }
}

fn by_index(
    m: &mut Machine<'_>,
    text: &Rc<str>,
    name: &str,
    arguments: &[Val],
    at: u32,
) -> Thrown<Option<Val>> {
    if name == "getAt" {
        return match arguments {
            [index] => m.index(&Val::Text(text.clone()), index, at).map(Some),
            _ => Ok(None),
        };
    }
    let count = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    let mut places = Vec::new();
    for argument in arguments {
        places.push(m.whole(argument, at)?);
    }
    let (from, to) = match (name, places.as_slice()) {
        ("substring", [from]) => (*from, count),
        ("substring" | "subSequence", [from, to]) => (*from, *to),
        ("charAt" | "codePointAt", [place]) => (*place, *place + 1),
        ("take", [wanted]) => (0, (*wanted).clamp(0, count)),
        ("drop", [wanted]) => ((*wanted).clamp(0, count), count),
        _ => return Ok(None),
    };
    if from < 0 || to > count || from > to {
        let message = format!("begin {from}, end {to}, length {count}");
        return Err(m.throw("java.lang.StringIndexOutOfBoundsException", message, at));
    }
    let as_size = |place: i64| usize::try_from(place).unwrap_or_default();
    let part: String = text.chars().skip(as_size(from)).take(as_size(to - from)).collect();
    Ok(Some(match name {
        "charAt" => Val::Char(part.chars().next().unwrap_or_default()),
        "codePointAt" => Val::Int(part.chars().next().map_or(0, |c| u32::from(c) as i32)),
        _ => m.text(part, at)?,
    }))
}

fn pad(
    m: &mut Machine<'_>,
    text: &str,
    name: &str,
    arguments: &[Val],
    at: u32,
) -> Thrown<Option<Val>> {
    let wanted = usize::try_from(m.whole(&arguments[0], at)?).unwrap_or(0);
    let filler = match arguments.get(1) {
        Some(filler) => m.show(filler, at)?,
        None => " ".to_owned(),
    };
    let missing = wanted.saturating_sub(text.chars().count());
    m.bytes(missing.saturating_mul(4).saturating_add(text.len()), at)?;
    let fill = |count: usize| filler.chars().cycle().take(count).collect::<String>();
    let padded = match name {
        "padLeft" => fill(missing) + text,
        "padRight" => text.to_owned() + &fill(missing),
        _ => fill(missing / 2) + text + &fill(missing - missing / 2),
    };
    Ok(Some(Val::text(padded)))
}
