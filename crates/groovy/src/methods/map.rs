use crate::run::{Machine, Thrown};
use crate::value::{Id, Val};

pub(super) fn invoke(
    m: &mut Machine<'_>,
    id: Id,
    name: &str,
    arguments: &[Val],
    at: u32,
) -> Thrown<Option<Val>> {
    let target = Val::Map(id);
    Ok(Some(match (name, arguments) {
        ("size", []) => super::int(m.heap.maps[id as usize].entries.len()),
        ("isEmpty", []) => Val::Bool(m.heap.maps[id as usize].entries.is_empty()),
        ("get" | "getAt", [key]) => m.map_read(id, key, at)?,
        ("get" | "getOrDefault", [key, fallback]) => match m.map_get(id, key, at)? {
            Some(value) => value,
            None => {
                if name == "get" {
                    m.map_put(id, key.clone(), fallback.clone(), at)?;
                }
                fallback.clone()
            }
        },
        ("put" | "putAt", [key, value]) => {
            m.map_put(id, key.clone(), value.clone(), at)?.unwrap_or(Val::Null)
        }
        ("putIfAbsent", [key, value]) => match m.map_get(id, key, at)? {
            Some(found) if !found.is_null() => found,
            _ => {
                m.map_put(id, key.clone(), value.clone(), at)?;
                Val::Null
            }
        },
        ("computeIfAbsent", [key, Val::Closure(closure)]) => match m.map_get(id, key, at)? {
            Some(found) if !found.is_null() => found,
            _ => {
                let value = m.call(*closure, vec![key.clone()], at)?;
                m.map_put(id, key.clone(), value.clone(), at)?;
                value
            }
        },
        ("putAll", [other]) => {
            m.map_put_all(id, other, at)?;
            Val::Null
        }
        ("remove", [key]) => m.map_remove(id, key, at)?.unwrap_or(Val::Null),
        ("clear", []) => {
            m.refill(id, Vec::new(), at)?;
            Val::Null
        }
        ("containsKey", [key]) => Val::Bool(m.map_get(id, key, at)?.is_some()),
        ("containsValue", [value]) => {
            let values = values(m, id, at)?;
            Val::Bool(m.contains(&values, value, at)?)
        }
        ("keySet", []) => {
            let keys = keys(m, id, at)?;
            m.new_set(keys, "java.util.LinkedHashSet", at)?
        }
        ("values", []) => {
            let values = values(m, id, at)?;
            m.new_list(values, at)?
        }
        ("entrySet", []) => {
            let pairs = m.items(&target, at)?.unwrap_or_default();
            m.new_list(pairs, at)?
        }
        ("plus", [other]) => m.binary(crate::ast::Binary::Add, target, other.clone(), at)?,
        ("minus", [other]) => m.binary(crate::ast::Binary::Sub, target, other.clone(), at)?,
        ("equals", [other]) => Val::Bool(m.equal(&target, other, at)?),
        ("withDefault", [Val::Closure(closure)]) => {
            m.heap.maps[id as usize].default = Some(*closure);
            target
        }
        ("asImmutable" | "asUnmodifiable", []) => {
            let copy = m.copy_map(id, at)?;
            m.heap.maps[copy as usize].immutable = true;
            Val::Map(copy)
        }
        ("subMap", [keys]) => {
            let map = m.new_map("java.util.LinkedHashMap", at)?;
            for key in m.items(keys, at)?.unwrap_or_default() {
                if let Some(value) = m.map_get(id, &key, at)? {
                    m.map_put(map, key, value, at)?;
                }
            }
            Val::Map(map)
        }
        ("sort", []) => {
            let copy = m.new_map("java.util.TreeMap", at)?;
            m.map_put_all(copy, &target, at)?;
            Val::Map(copy)
        }
        ("sort" | "toSorted", [Val::Closure(closure)]) => {
            let pairs = m.items(&target, at)?.unwrap_or_default();
            let sorted =
                m.sorted(pairs, at, |m, a, b| super::iterate::order(m, *closure, a, b, at))?;
            let map = m.new_map("java.util.LinkedHashMap", at)?;
            for pair in sorted {
                put_entry(m, map, &pair, at)?;
            }
            Val::Map(map)
        }
        ("inject", [first, Val::Closure(closure)]) if m.arity(*closure) == 3 => {
            let mut result = first.clone();
            for (key, value) in m.heap.maps[id as usize].entries.clone() {
                result = m.call(*closure, vec![result, key, value], at)?;
            }
            result
        }
        (_, [Val::Closure(closure)]) => return with_closure(m, id, name, *closure, at),
        // Maps have no sum of their own, unlike lists.
        (
            "sum" | "average" | "join" | "first" | "contains" | "indexOf" | "reverse" | "flatten",
            _,
        ) => {
            return Ok(None);
        }
        _ => return Ok(None),
    }))
}

fn with_closure(
    m: &mut Machine<'_>,
    id: Id,
    name: &str,
    closure: Id,
    at: u32,
) -> Thrown<Option<Val>> {
    let entries = m.heap.maps[id as usize].entries.clone();
    m.steps(entries.len(), at)?;
    let target = Val::Map(id);
    match name {
        "each" | "forEach" => {
            for (key, value) in entries {
                m.call_entry(closure, key, value, at)?;
            }
            Ok(Some(target))
        }
        "eachWithIndex" => {
            for (index, (key, value)) in entries.into_iter().enumerate() {
                let index = super::int(index);
                if m.arity(closure) == 3 {
                    m.call(closure, vec![key, value, index], at)?;
                } else {
                    let pair = m.new_pair(key, value, at)?;
                    m.call(closure, vec![pair, index], at)?;
                }
            }
            Ok(Some(target))
        }
        "collect" => {
            let mut made = Vec::with_capacity(entries.len());
            for (key, value) in entries {
                made.push(m.call_entry(closure, key, value, at)?);
            }
            m.new_list(made, at).map(Some)
        }
        "collectEntries" => {
            let map = m.new_map("java.util.LinkedHashMap", at)?;
            for (key, value) in entries {
                let entry = m.call_entry(closure, key, value, at)?;
                put_entry(m, map, &entry, at)?;
            }
            Ok(Some(Val::Map(map)))
        }
        "find" | "findAll" | "any" | "every" | "count" => {
            let kept = m.new_map("java.util.LinkedHashMap", at)?;
            let all = entries.len();
            for (key, value) in entries {
                let answer = m.call_entry(closure, key.clone(), value.clone(), at)?;
                if !m.truth(&answer, at)? {
                    continue;
                }
                if name == "find" {
                    return m.new_pair(key, value, at).map(Some);
                }
                m.map_put(kept, key, value, at)?;
            }
            let count = m.heap.maps[kept as usize].entries.len();
            Ok(Some(match name {
                "find" => Val::Null,
                "any" => Val::Bool(count > 0),
                "every" => Val::Bool(count == all),
                "count" => super::int(count),
                _ => Val::Map(kept),
            }))
        }
        "groupBy" => {
            let groups = m.new_map("java.util.LinkedHashMap", at)?;
            for (key, value) in entries {
                let mark = m.call_entry(closure, key.clone(), value.clone(), at)?;
                let group = match m.map_get(groups, &mark, at)? {
                    Some(Val::Map(group)) => group,
                    _ => {
                        let group = m.new_map("java.util.LinkedHashMap", at)?;
                        m.map_put(groups, mark, Val::Map(group), at)?;
                        group
                    }
                };
                m.map_put(group, key, value, at)?;
            }
            Ok(Some(Val::Map(groups)))
        }
        "sum" | "average" => Ok(None),
        // The rest works on entries.
        _ => super::iterate::invoke(m, &target, name, &[Val::Closure(closure)], at),
    }
}

/// An entry of a map, a pair in a list, or a whole map.
pub(super) fn put_entry(m: &mut Machine<'_>, map: Id, entry: &Val, at: u32) -> Thrown<()> {
    match entry {
        Val::Pair(id) => {
            let (key, value) = m.heap.pairs[*id as usize].clone();
            m.map_put(map, key, value, at)?;
        }
        Val::Map(_) => m.map_put_all(map, entry, at)?,
        _ => {
            let key = m.index(entry, &Val::Int(0), at)?;
            let value = m.index(entry, &Val::Int(1), at)?;
            m.map_put(map, key, value, at)?;
        }
    }
    Ok(())
}

pub(super) fn invoke_pair(m: &Machine<'_>, id: Id, name: &str, arguments: &[Val]) -> Option<Val> {
    let (key, value) = &m.heap.pairs[id as usize];
    match (name, arguments) {
        ("getKey", []) => Some(key.clone()),
        ("getValue", []) => Some(value.clone()),
        _ => None,
    }
}

fn keys(m: &mut Machine<'_>, id: Id, at: u32) -> Thrown<Vec<Val>> {
    m.slots(m.heap.maps[id as usize].entries.len(), at)?;
    Ok(m.heap.maps[id as usize].entries.iter().map(|(key, _)| key.clone()).collect())
}

fn values(m: &mut Machine<'_>, id: Id, at: u32) -> Thrown<Vec<Val>> {
    m.slots(m.heap.maps[id as usize].entries.len(), at)?;
    Ok(m.heap.maps[id as usize].entries.iter().map(|(_, value)| value.clone()).collect())
}
