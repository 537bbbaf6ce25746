//! What every object has, and small receivers.

use crate::run::{Machine, Thrown};
use crate::value::Val;

use super::int;

pub(super) fn invoke(
    m: &mut Machine<'_>,
    target: &Val,
    name: &str,
    arguments: &[Val],
    at: u32,
) -> Thrown<Option<Val>> {
    Ok(Some(match (name, arguments) {
        ("toString", []) => {
            let text = m.show(target, at)?;
            m.text(text, at)?
        }
        ("inspect" | "dump", []) => {
            let text = m.show(target, at)?;
            m.text(text, at)?
        }
        _ if target.is_null() && name != "equals" && name != "with" => return Ok(None),
        ("equals", [other]) => Val::Bool(m.strictly_equal(target, other, at)?),
        ("is", [other]) => Val::Bool(crate::run::same(target, other)),
        ("compareTo", [other]) => Val::Int(m.compare(target, other, at)? as i32),
        ("hashCode", []) => {
            let text = m.show(target, at)?;
            Val::Int(java_hash(&text))
        }
        ("getClass", []) => match m.class_of(target) {
            Some(class) => Val::Class(class),
            None => {
                let name = m.class_name(target);
                m.text(name, at)?
            }
        },
        ("asBoolean", []) => Val::Bool(m.truth(target, at)?),
        ("with" | "tap", [Val::Closure(closure)]) => {
            let result =
                m.call_with_delegate(*closure, target.clone(), vec![target.clone()], at)?;
            if name == "tap" { target.clone() } else { result }
        }
        ("println" | "print", _) => {
            return script_function(m, name, arguments, at);
        }
        ("asType", [Val::Class(class)]) => {
            m.coerce(target.clone(), crate::ast::Type::Class(*class), at)?
        }
        ("getProperty" | "getAt", [Val::Text(name) | Val::GString(name)]) => {
            m.get_property(target, name, at)?
        }
        ("getMetaClass" | "metaClass", _) => return Ok(None),
        _ => return super::iterate::invoke(m, target, name, arguments, at),
    }))
}

/// Functions that every script has.
pub(crate) fn script_function(
    m: &mut Machine<'_>,
    name: &str,
    arguments: &[Val],
    at: u32,
) -> Thrown<Option<Val>> {
    match (name, arguments) {
        ("println" | "print", [] | [_]) => {
            let mut text = String::new();
            if let [value] = arguments {
                m.show_into(value, &mut text, at)?;
            }
            m.bytes(text.len(), at)?;
            m.print(&text, name == "println");
        }
        ("printf", [Val::Text(pattern) | Val::GString(pattern), rest @ ..]) => {
            let text = super::format::format(m, pattern, rest, at)?;
            m.print(&text, false);
        }
        // Nobody is made to wait: a script runs inside a transaction, and the time it is given is
        // counted in steps.
        ("sleep", [_]) => {}
        ("with", [Val::Closure(closure)]) => return m.call(*closure, Vec::new(), at).map(Some),
        _ => return Ok(None),
    }
    Ok(Some(Val::Null))
}

pub(super) fn invoke_special(
    m: &mut Machine<'_>,
    target: &Val,
    name: &str,
    arguments: &[Val],
    at: u32,
) -> Thrown<Option<Val>> {
    Ok(Some(match (target, name, arguments) {
        (Val::Closure(id), "call" | "doCall", _) => m.call(*id, arguments.to_vec(), at)?,
        (Val::Closure(id), "getMaximumNumberOfParameters", []) => int(m.arity(*id)),
        (Val::Out, "println" | "print" | "printf", _) => {
            return script_function(m, name, arguments, at);
        }
        (Val::Out, "flush", []) => Val::Null,
        (Val::Error(id), _, _) => return Ok(error(m, *id, name, arguments)),
        (Val::Builder(id), _, _) => return builder(m, *id, name, arguments, at),
        (Val::Random, "nextInt", []) => Val::Int(m.next_random() as i32),
        (Val::Random, "nextInt", [bound]) => {
            let bound = m.whole(bound, at)?;
            if bound <= 0 {
                let message = "bound must be positive";
                return Err(m.throw("java.lang.IllegalArgumentException", message, at));
            }
            Val::Int((m.next_random() % bound.unsigned_abs()) as i32)
        }
        (Val::Random, "nextLong", []) => Val::Long(m.next_random() as i64),
        (Val::Random, "nextBoolean", []) => Val::Bool(m.next_random() & 1 == 1),
        (Val::Random, "nextDouble", []) => Val::Double(m.random_double()),
        (Val::Bool(flag), "booleanValue", []) => Val::Bool(*flag),
        (Val::Bool(a), "and", [Val::Bool(b)]) => Val::Bool(a & b),
        (Val::Bool(a), "or", [Val::Bool(b)]) => Val::Bool(a | b),
        (Val::Json, "parseText", [Val::Text(text) | Val::GString(text)]) => {
            super::json::parse(m, text, at)?
        }
        (Val::Script, _, _) => return script_function(m, name, arguments, at),
        (Val::Rounding(mode), "name", []) => m.text(super::rounding_name(*mode), at)?,
        _ => return Ok(None),
    }))
}

fn error(m: &Machine<'_>, id: u32, name: &str, arguments: &[Val]) -> Option<Val> {
    let error = &m.heap.errors[id as usize];
    let optional = |text: &Option<std::rc::Rc<str>>| text.clone().map_or(Val::Null, Val::Text);
    Some(match (name, arguments) {
        ("getMessage" | "getLocalizedMessage", []) => optional(&error.message),
        ("getErrorCode", []) => optional(&error.code),
        ("getCause", []) => error.cause.map_or(Val::Null, Val::Error),
        ("printStackTrace", _) => Val::Null,
        ("addSuppressed" | "setStackTrace", [_]) => Val::Null,
        _ => return None,
    })
}

fn builder(
    m: &mut Machine<'_>,
    id: u32,
    name: &str,
    arguments: &[Val],
    at: u32,
) -> Thrown<Option<Val>> {
    match (name, arguments) {
        ("append" | "leftShift", [value]) => {
            let text = m.show(value, at)?;
            m.bytes(text.len(), at)?;
            m.heap.builders[id as usize].push_str(&text);
            Ok(Some(Val::Builder(id)))
        }
        ("insert", [place, value]) => {
            let place = usize::try_from(m.whole(place, at)?).unwrap_or(usize::MAX);
            let text = m.show(value, at)?;
            m.bytes(text.len() + m.heap.builders[id as usize].len(), at)?;
            let held = &mut m.heap.builders[id as usize];
            match held.char_indices().map(|(offset, _)| offset).chain([held.len()]).nth(place) {
                Some(offset) => held.insert_str(offset, &text),
                None => {
                    let message = format!("offset {place}, length {}", held.chars().count());
                    return Err(m.throw("java.lang.StringIndexOutOfBoundsException", message, at));
                }
            }
            Ok(Some(Val::Builder(id)))
        }
        ("setLength", [length]) => {
            let length = usize::try_from(m.whole(length, at)?).unwrap_or(usize::MAX);
            let held = &mut m.heap.builders[id as usize];
            if let Some((offset, _)) = held.char_indices().nth(length) {
                held.truncate(offset);
            }
            Ok(Some(Val::Null))
        }
        ("reverse", []) => {
            let reversed: String = m.heap.builders[id as usize].chars().rev().collect();
            m.bytes(reversed.len(), at)?;
            m.heap.builders[id as usize] = reversed;
            Ok(Some(Val::Builder(id)))
        }
        _ => {
            let text: std::rc::Rc<str> = m.heap.builders[id as usize].as_str().into();
            m.bytes(text.len(), at)?;
            super::text::invoke(m, &text, name, arguments, at)
        }
    }
}

/// Java's hash of a text, over its UTF-16 units.
pub(super) fn java_hash(text: &str) -> i32 {
    text.encode_utf16().fold(0i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(unit.into()))
}
