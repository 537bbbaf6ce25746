//! The methods that scripts can call. The list is closed: what is not here does not exist, and
//! nothing here reaches outside of the script.

pub(crate) mod construct;
pub(crate) mod date;
mod execution;
mod format;
mod iterate;
mod json;
mod list;
mod map;
mod matcher;
mod number;
mod object;
mod statics;
mod task;
mod text;

pub use execution::facts;

pub(crate) use construct::has_constructor;
pub(crate) use number::rounding_name;
pub(crate) use object::script_function;
pub(crate) use statics::{check_static_method, check_static_property, static_property};

use crate::run::{Machine, Thrown};
use crate::value::Val;

/// `None`: the receiver has no such method.
pub(crate) fn invoke(
    m: &mut Machine<'_>,
    target: &Val,
    name: &str,
    arguments: &[Val],
    at: u32,
) -> Thrown<Option<Val>> {
    let found = match target {
        Val::Text(text) | Val::GString(text) => text::invoke(m, text, name, arguments, at)?,
        Val::List(_) | Val::Array(..) | Val::Set(_) | Val::Range(_) => {
            list::invoke(m, target, name, arguments, at)?
        }
        Val::Map(id) => map::invoke(m, *id, name, arguments, at)?,
        Val::Pair(id) => map::invoke_pair(m, *id, name, arguments),
        Val::Date(ms) => date::invoke(m, *ms, name, arguments, at)?,
        Val::DateFormat(pattern) => date::invoke_format(m, pattern, name, arguments, at)?,
        Val::Execution(reach) => execution::invoke(m, *reach, name, arguments, at)?,
        Val::Task => task::invoke(m, name, arguments, at)?,
        Val::Class(class) => statics::invoke(m, *class, name, arguments, at)?,
        Val::Matcher(_) | Val::Pattern(_) => matcher::invoke(m, target, name, arguments, at)?,
        Val::Int(_)
        | Val::Long(_)
        | Val::BigInt(_)
        | Val::Dec(_)
        | Val::Double(_)
        | Val::Float(_)
        | Val::Char(_) => number::invoke(m, target, name, arguments, at)?,
        _ => object::invoke_special(m, target, name, arguments, at)?,
    };
    match found {
        Some(value) => Ok(Some(value)),
        None => object::invoke(m, target, name, arguments, at),
    }
}

/// The number as a count that fits Java's `int`.
pub(crate) fn int(count: usize) -> Val {
    Val::Int(i32::try_from(count).unwrap_or(i32::MAX))
}
