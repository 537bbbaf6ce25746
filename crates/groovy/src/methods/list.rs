//! What lists, sets, arrays and ranges have besides iteration.

use crate::run::{Machine, Thrown};
use crate::value::{Range, Val};

pub(super) fn invoke(
    m: &mut Machine<'_>,
    target: &Val,
    name: &str,
    arguments: &[Val],
    at: u32,
) -> Thrown<Option<Val>> {
    match target {
        Val::List(id) | Val::Array(id, _) => list(m, target, *id, name, arguments, at),
        Val::Set(id) => set(m, *id, name, arguments, at),
        Val::Range(range) => Ok(range_method(range, name, arguments)),
        _ => Ok(None),
    }
}

fn list(
    m: &mut Machine<'_>,
    target: &Val,
    id: u32,
    name: &str,
    arguments: &[Val],
    at: u32,
) -> Thrown<Option<Val>> {
    let count = m.heap.lists[id as usize].len();
    Ok(Some(match (name, arguments) {
        ("size", []) => super::int(count),
        ("isEmpty", []) => Val::Bool(count == 0),
        ("get", [index]) => {
            let place = place(m, index, count, at)?;
            m.heap.lists[id as usize][place].clone()
        }
        ("getAt", [index]) => m.index(target, index, at)?,
        ("set", [index, value]) => {
            let place = place(m, index, count, at)?;
            std::mem::replace(&mut m.heap.lists[id as usize][place], value.clone())
        }
        ("putAt", [index, value]) => {
            m.set_index(target, index, value.clone(), at)?;
            Val::Null
        }
        _ if matches!(target, Val::Array(..)) => return array(m, id, name, arguments, at),
        ("add" | "addLast", [value]) | ("leftShift", [value]) => {
            m.list_add(target, value.clone(), at)?;
            if name == "leftShift" { target.clone() } else { Val::Bool(true) }
        }
        ("add", [index, value]) => {
            let place = place(m, index, count + 1, at)?;
            m.slots(1, at)?;
            m.steps(count - place, at)?;
            m.heap.lists[id as usize].insert(place, value.clone());
            Val::Null
        }
        ("push" | "addFirst", [value]) => {
            m.slots(1, at)?;
            m.steps(count, at)?;
            m.heap.lists[id as usize].insert(0, value.clone());
            Val::Bool(true)
        }
        ("pop" | "removeFirst" | "removeLast", []) => {
            if count == 0 {
                let message = format!("Cannot {name}() an empty List");
                return Err(m.throw("java.util.NoSuchElementException", message, at));
            }
            m.steps(count, at)?;
            let place = if name == "removeLast" { count - 1 } else { 0 };
            m.heap.lists[id as usize].remove(place)
        }
        ("addAll", [other]) => {
            let items = m.items(other, at)?.unwrap_or_default();
            m.slots(items.len(), at)?;
            let added = !items.is_empty();
            m.heap.lists[id as usize].extend(items);
            Val::Bool(added)
        }
        ("remove" | "removeAt", [index @ Val::Int(_)]) => {
            let place = place(m, index, count, at)?;
            m.steps(count - place, at)?;
            m.heap.lists[id as usize].remove(place)
        }
        ("remove" | "removeElement", [value]) => {
            let items = m.items(target, at)?.unwrap_or_default();
            for (place, item) in items.iter().enumerate() {
                if m.equal(item, value, at)? {
                    m.heap.lists[id as usize].remove(place);
                    return Ok(Some(Val::Bool(true)));
                }
            }
            Val::Bool(false)
        }
        ("removeAll" | "retainAll" | "removeIf", [other]) => {
            let removes = name != "retainAll";
            let mut kept = Vec::new();
            let others = match other {
                Val::Closure(_) => Vec::new(),
                _ => m.items(other, at)?.unwrap_or_default(),
            };
            for item in m.items(target, at)?.unwrap_or_default() {
                let is_in = match other {
                    Val::Closure(closure) => {
                        let answer = m.call(*closure, vec![item.clone()], at)?;
                        m.truth(&answer, at)?
                    }
                    _ => m.contains(&others, &item, at)?,
                };
                if is_in != removes {
                    kept.push(item);
                }
            }
            let changed = kept.len() != count;
            m.heap.lists[id as usize] = kept;
            Val::Bool(changed)
        }
        ("clear", []) => {
            m.heap.lists[id as usize].clear();
            Val::Null
        }
        ("subList", [from, to]) => {
            let (from, to) = (place(m, from, count + 1, at)?, place(m, to, count + 1, at)?);
            let items = m.heap.lists[id as usize].get(from..to).unwrap_or_default().to_vec();
            m.new_list(items, at)?
        }
        ("lastIndexOf", [wanted]) => {
            let items = m.items(target, at)?.unwrap_or_default();
            for (place, item) in items.iter().enumerate().rev() {
                if m.equal(item, wanted, at)? {
                    return Ok(Some(super::int(place)));
                }
            }
            Val::Int(-1)
        }
        ("swap", [a, b]) => {
            let (a, b) = (place(m, a, count, at)?, place(m, b, count, at)?);
            m.heap.lists[id as usize].swap(a, b);
            target.clone()
        }
        ("plus", [other]) => {
            m.binary(crate::ast::Binary::Add, target.clone(), other.clone(), at)?
        }
        ("minus", [other]) => {
            m.binary(crate::ast::Binary::Sub, target.clone(), other.clone(), at)?
        }
        ("multiply", [other]) => {
            m.binary(crate::ast::Binary::Mul, target.clone(), other.clone(), at)?
        }
        ("equals", [other]) => Val::Bool(m.equal(target, other, at)?),
        ("replaceAll", [Val::Closure(closure)]) => {
            let items = m.items(target, at)?.unwrap_or_default();
            for (place, item) in items.into_iter().enumerate() {
                let value = m.call(*closure, vec![item], at)?;
                if let Some(slot) = m.heap.lists[id as usize].get_mut(place) {
                    *slot = value;
                }
            }
            Val::Null
        }
        _ => return Ok(None),
    }))
}

fn array(
    m: &mut Machine<'_>,
    id: u32,
    name: &str,
    arguments: &[Val],
    at: u32,
) -> Thrown<Option<Val>> {
    match (name, arguments) {
        ("encodeBase64", []) => {
            let bytes: Vec<u8> = m.heap.lists[id as usize]
                .iter()
                .map(|item| match item {
                    Val::Int(byte) => *byte as u8,
                    _ => 0,
                })
                .collect();
            let text = super::format::base64(&bytes);
            m.text(text, at).map(Some)
        }
        _ => Ok(None),
    }
}

fn place(m: &mut Machine<'_>, index: &Val, count: usize, at: u32) -> Thrown<usize> {
    let wanted = m.whole(index, at)?;
    match usize::try_from(wanted).ok().filter(|place| *place < count) {
        Some(place) => Ok(place),
        None => {
            let message = format!("Index {wanted} out of bounds for length {count}");
            Err(m.throw("java.lang.IndexOutOfBoundsException", message, at))
        }
    }
}

fn set(
    m: &mut Machine<'_>,
    id: u32,
    name: &str,
    arguments: &[Val],
    at: u32,
) -> Thrown<Option<Val>> {
    Ok(Some(match (name, arguments) {
        ("add", [value]) => {
            let before = m.heap.maps[id as usize].entries.len();
            m.map_put(id, value.clone(), Val::Null, at)?;
            Val::Bool(m.heap.maps[id as usize].entries.len() > before)
        }
        ("addAll", [other]) => {
            let before = m.heap.maps[id as usize].entries.len();
            for item in m.items(other, at)?.unwrap_or_default() {
                m.map_put(id, item, Val::Null, at)?;
            }
            Val::Bool(m.heap.maps[id as usize].entries.len() > before)
        }
        ("remove", [value]) => Val::Bool(m.map_remove(id, value, at)?.is_some()),
        ("contains", [value]) => Val::Bool(m.map_get(id, value, at)?.is_some()),
        ("clear", []) => {
            m.refill(id, Vec::new(), at)?;
            Val::Null
        }
        ("plus", [other]) => m.binary(crate::ast::Binary::Add, Val::Set(id), other.clone(), at)?,
        ("minus", [other]) => m.binary(crate::ast::Binary::Sub, Val::Set(id), other.clone(), at)?,
        _ => return Ok(None),
    }))
}

fn range_method(range: &Range, name: &str, arguments: &[Val]) -> Option<Val> {
    let end = |index: usize| if range.len() == 0 { Val::Null } else { range.get(index) };
    Some(match (name, arguments) {
        ("size", []) => super::int(range.len()),
        ("getFrom" | "first", []) => end(0),
        ("getTo" | "last", []) => end(range.len().saturating_sub(1)),
        ("isEmpty", []) => Val::Bool(range.len() == 0),
        _ => return None,
    })
}
