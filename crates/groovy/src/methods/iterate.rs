//! Closures over anything that has items: lists, sets, ranges, texts, arrays.

use std::cmp::Ordering;

use crate::ast::Binary;
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
    if !is_known(name) {
        return Ok(None);
    }
    let Some(items) = m.items(target, at)? else { return Ok(None) };
    match (name, arguments) {
        (_, [Val::Closure(closure)]) => with_closure(m, target, name, &items, *closure, at),
        ("inject", [first, Val::Closure(closure)]) => {
            inject(m, Some(first.clone()), &items, *closure, at).map(Some)
        }
        ("sum", [first, Val::Closure(closure)]) => {
            let mut total = first.clone();
            for item in items {
                let next = m.call(*closure, vec![item], at)?;
                total = m.binary(Binary::Add, total, next, at)?;
            }
            Ok(Some(total))
        }
        _ => plain(m, target, name, items, arguments, at),
    }
}

fn is_known(name: &str) -> bool {
    matches!(
        name,
        "each"
            | "eachWithIndex"
            | "reverseEach"
            | "forEach"
            | "collect"
            | "collectMany"
            | "find"
            | "findAll"
            | "grep"
            | "findResult"
            | "findResults"
            | "findIndexOf"
            | "any"
            | "every"
            | "inject"
            | "sum"
            | "count"
            | "countBy"
            | "groupBy"
            | "collectEntries"
            | "min"
            | "max"
            | "sort"
            | "toSorted"
            | "unique"
            | "toUnique"
            | "split"
            | "takeWhile"
            | "dropWhile"
            | "average"
            | "join"
            | "toList"
            | "toSet"
            | "first"
            | "last"
            | "head"
            | "tail"
            | "init"
            | "take"
            | "drop"
            | "takeRight"
            | "dropRight"
            | "reverse"
            | "flatten"
            | "withIndex"
            | "indexed"
            | "collate"
            | "transpose"
            | "contains"
            | "indexOf"
            | "intersect"
            | "disjoint"
            | "containsAll"
            | "asList"
            | "stream"
            | "filter"
            | "map"
            | "iterator"
            | "size"
            | "isEmpty"
            | "collectNested"
            | "asImmutable"
            | "asUnmodifiable"
            | "toArray"
            | "combinations"
            | "step"
            | "encodeBase64"
    )
}

fn with_closure(
    m: &mut Machine<'_>,
    target: &Val,
    name: &str,
    items: &[Val],
    closure: u32,
    at: u32,
) -> Thrown<Option<Val>> {
    let each = |m: &mut Machine<'_>, item: &Val| m.call(closure, vec![item.clone()], at);
    let test = |m: &mut Machine<'_>, item: &Val| {
        let answer = m.call(closure, vec![item.clone()], at)?;
        m.truth(&answer, at)
    };
    Ok(Some(match name {
        "each" | "forEach" => {
            for item in items {
                each(m, item)?;
            }
            target.clone()
        }
        "reverseEach" => {
            for item in items.iter().rev() {
                each(m, item)?;
            }
            target.clone()
        }
        "eachWithIndex" => {
            for (index, item) in items.iter().enumerate() {
                m.call(closure, vec![item.clone(), int(index)], at)?;
            }
            target.clone()
        }
        "collect" | "map" => {
            let made = items.iter().map(|item| each(m, item)).collect::<Thrown<Vec<_>>>()?;
            m.new_list(made, at)?
        }
        "collectMany" => {
            let mut made = Vec::new();
            for item in items {
                let part = each(m, item)?;
                made.extend(m.items(&part, at)?.unwrap_or_default());
            }
            m.new_list(made, at)?
        }
        "find" => {
            for item in items {
                if test(m, item)? {
                    return Ok(Some(item.clone()));
                }
            }
            Val::Null
        }
        "findAll" | "grep" | "filter" => {
            let mut kept = Vec::new();
            for item in items {
                if test(m, item)? {
                    kept.push(item.clone());
                }
            }
            m.same_kind(target, kept, at)?
        }
        "findResult" | "findResults" => {
            let mut found = Vec::new();
            for item in items {
                let result = each(m, item)?;
                if !result.is_null() {
                    if name == "findResult" {
                        return Ok(Some(result));
                    }
                    found.push(result);
                }
            }
            if name == "findResult" { Val::Null } else { m.new_list(found, at)? }
        }
        "findIndexOf" => {
            for (index, item) in items.iter().enumerate() {
                if test(m, item)? {
                    return Ok(Some(int(index)));
                }
            }
            Val::Int(-1)
        }
        "any" | "every" => {
            for item in items {
                if test(m, item)? == (name == "any") {
                    return Ok(Some(Val::Bool(name == "any")));
                }
            }
            Val::Bool(name == "every")
        }
        "count" => {
            let mut count = 0;
            for item in items {
                count += usize::from(test(m, item)?);
            }
            int(count)
        }
        "inject" => inject(m, None, items, closure, at)?,
        "sum" => {
            let made = items.iter().map(|item| each(m, item)).collect::<Thrown<Vec<_>>>()?;
            total(m, made, at)?
        }
        "average" => {
            let made = items.iter().map(|item| each(m, item)).collect::<Thrown<Vec<_>>>()?;
            average(m, made, at)?
        }
        "groupBy" | "countBy" => {
            let map = m.new_map("java.util.LinkedHashMap", at)?;
            for item in items {
                let key = each(m, item)?;
                match (m.map_get(map, &key, at)?, name) {
                    (Some(group), "groupBy") => m.list_add(&group, item.clone(), at)?,
                    (None, "groupBy") => {
                        let group = m.new_list(vec![item.clone()], at)?;
                        m.map_put(map, key, group, at)?;
                    }
                    (Some(Val::Int(count)), _) => {
                        m.map_put(map, key, Val::Int(count.saturating_add(1)), at)?;
                    }
                    _ => {
                        m.map_put(map, key, Val::Int(1), at)?;
                    }
                }
            }
            Val::Map(map)
        }
        "collectEntries" => {
            let map = m.new_map("java.util.LinkedHashMap", at)?;
            for item in items {
                let entry = each(m, item)?;
                super::map::put_entry(m, map, &entry, at)?;
            }
            Val::Map(map)
        }
        "min" | "max" => {
            let wanted = if name == "min" { Ordering::Less } else { Ordering::Greater };
            let mut best: Option<Val> = None;
            for item in items {
                let better = match &best {
                    None => true,
                    Some(best) => order(m, closure, item, best, at)? == wanted,
                };
                if better {
                    best = Some(item.clone());
                }
            }
            best.unwrap_or(Val::Null)
        }
        "sort" | "toSorted" => {
            let sorted = m.sorted(items.to_vec(), at, |m, a, b| order(m, closure, a, b, at))?;
            replaced(m, target, sorted, name == "sort", at)?
        }
        "unique" | "toUnique" => {
            let mut kept: Vec<(Val, Val)> = Vec::new();
            for item in items {
                let mark = each(m, item)?;
                let marks: Vec<Val> = kept.iter().map(|(mark, _)| mark.clone()).collect();
                if !m.contains(&marks, &mark, at)? {
                    kept.push((mark, item.clone()));
                }
            }
            let kept = kept.into_iter().map(|(_, item)| item).collect();
            replaced(m, target, kept, name == "unique", at)?
        }
        "split" => {
            let (mut yes, mut no) = (Vec::new(), Vec::new());
            for item in items {
                if test(m, item)? { yes.push(item.clone()) } else { no.push(item.clone()) }
            }
            let both = vec![m.new_list(yes, at)?, m.new_list(no, at)?];
            m.new_list(both, at)?
        }
        "takeWhile" | "dropWhile" => {
            let mut count = 0;
            while count < items.len() && test(m, &items[count])? {
                count += 1;
            }
            let part = if name == "takeWhile" { &items[..count] } else { &items[count..] };
            m.new_list(part.to_vec(), at)?
        }
        _ => return Ok(None),
    }))
}

/// A closure of two compares; one of one gives what is compared.
pub(super) fn order(
    m: &mut Machine<'_>,
    closure: u32,
    a: &Val,
    b: &Val,
    at: u32,
) -> Thrown<Ordering> {
    if m.arity(closure) == 2 {
        let answer = m.call(closure, vec![a.clone(), b.clone()], at)?;
        return Ok(m.whole(&answer, at)?.cmp(&0));
    }
    let left = m.call(closure, vec![a.clone()], at)?;
    let right = m.call(closure, vec![b.clone()], at)?;
    m.compare(&left, &right, at)
}

fn inject(
    m: &mut Machine<'_>,
    first: Option<Val>,
    items: &[Val],
    closure: u32,
    at: u32,
) -> Thrown<Val> {
    let mut items = items.iter();
    let mut result = match first.or_else(|| items.next().cloned()) {
        Some(first) => first,
        None => {
            let message = "Cannot call inject() on an empty collection without an initial value";
            return Err(m.throw("java.util.NoSuchElementException", message, at));
        }
    };
    for item in items {
        result = m.call(closure, vec![result, item.clone()], at)?;
    }
    Ok(result)
}

fn total(m: &mut Machine<'_>, items: Vec<Val>, at: u32) -> Thrown<Val> {
    let mut items = items.into_iter();
    let Some(mut sum) = items.next() else { return Ok(Val::Null) };
    for item in items {
        sum = m.binary(Binary::Add, sum, item, at)?;
    }
    Ok(sum)
}

fn average(m: &mut Machine<'_>, items: Vec<Val>, at: u32) -> Thrown<Val> {
    let count = int(items.len());
    match total(m, items, at)? {
        Val::Null => Ok(Val::Null),
        sum => m.binary(Binary::Div, sum, count, at),
    }
}

/// `sort()` and its like change a list in place; other collections give a new list.
fn replaced(
    m: &mut Machine<'_>,
    target: &Val,
    items: Vec<Val>,
    in_place: bool,
    at: u32,
) -> Thrown<Val> {
    match target {
        Val::List(id) if in_place => {
            m.heap.lists[*id as usize] = items;
            Ok(target.clone())
        }
        _ => m.new_list(items, at),
    }
}

fn plain(
    m: &mut Machine<'_>,
    target: &Val,
    name: &str,
    items: Vec<Val>,
    arguments: &[Val],
    at: u32,
) -> Thrown<Option<Val>> {
    let count = items.len();
    let amount = match arguments {
        [value @ (Val::Int(_) | Val::Long(_))] => {
            usize::try_from(m.whole(value, at)?).unwrap_or(0).min(count)
        }
        _ => 0,
    };
    Ok(Some(match (name, arguments) {
        ("size", []) => int(count),
        ("isEmpty", []) => Val::Bool(count == 0),
        ("toList" | "asList" | "stream" | "collect" | "iterator", []) => m.new_list(items, at)?,
        ("asImmutable" | "asUnmodifiable", []) => target.clone(),
        ("toArray", _) => m.new_array_of(items, "java.lang.Object", at)?,
        ("toSet", []) => m.new_set(items, "java.util.HashSet", at)?,
        ("first" | "head" | "last", []) => {
            let item = if name == "last" { items.last() } else { items.first() };
            match item {
                Some(item) => item.clone(),
                None => {
                    let message = format!("Cannot access {name}() element from an empty List");
                    return Err(m.throw("java.util.NoSuchElementException", message, at));
                }
            }
        }
        ("tail", []) => m.new_list(items.into_iter().skip(1).collect(), at)?,
        ("init", []) => {
            m.new_list(items.into_iter().take(count.saturating_sub(1)).collect(), at)?
        }
        ("take", [_]) => m.new_list(items[..amount].to_vec(), at)?,
        ("drop", [_]) => m.new_list(items[amount..].to_vec(), at)?,
        ("takeRight", [_]) => m.new_list(items[count - amount..].to_vec(), at)?,
        ("dropRight", [_]) => m.new_list(items[..count - amount].to_vec(), at)?,
        ("reverse", [] | [_]) => {
            let reversed = items.into_iter().rev().collect();
            replaced(m, target, reversed, matches!(arguments, [Val::Bool(true)]), at)?
        }
        ("sum", []) => total(m, items, at)?,
        ("sum", [first]) => {
            let all = std::iter::once(first.clone()).chain(items).collect();
            total(m, all, at)?
        }
        ("average", []) => average(m, items, at)?,
        ("min" | "max", []) => {
            let wanted = if name == "min" { Ordering::Less } else { Ordering::Greater };
            let mut best = Val::Null;
            for item in items {
                if best.is_null() || (!item.is_null() && m.compare(&item, &best, at)? == wanted) {
                    best = item;
                }
            }
            best
        }
        ("sort" | "toSorted", [] | [Val::Bool(_)]) => {
            let sorted = m.sorted(items, at, |m, a, b| m.compare(a, b, at))?;
            let in_place = name == "sort" && !matches!(arguments, [Val::Bool(false)]);
            replaced(m, target, sorted, in_place, at)?
        }
        ("unique" | "toUnique", [] | [Val::Bool(_)]) => {
            let mut kept: Vec<Val> = Vec::new();
            for item in items {
                if !m.contains(&kept, &item, at)? {
                    kept.push(item);
                }
            }
            let in_place = name == "unique" && !matches!(arguments, [Val::Bool(false)]);
            replaced(m, target, kept, in_place, at)?
        }
        ("any" | "every", []) => {
            for item in &items {
                if m.truth(item, at)? == (name == "any") {
                    return Ok(Some(Val::Bool(name == "any")));
                }
            }
            Val::Bool(name == "every")
        }
        ("findAll" | "grep", []) => {
            let mut kept = Vec::new();
            for item in items {
                if m.truth(&item, at)? {
                    kept.push(item);
                }
            }
            m.same_kind(target, kept, at)?
        }
        ("grep", [filter]) => {
            let mut kept = Vec::new();
            for item in items {
                if m.is_case(filter, &item, at)? {
                    kept.push(item);
                }
            }
            m.same_kind(target, kept, at)?
        }
        ("join", _) => {
            let separator = match arguments {
                [] => String::new(),
                [separator] => m.show(separator, at)?,
                _ => return Ok(None),
            };
            let mut text = String::new();
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push_str(&separator);
                }
                m.show_into(item, &mut text, at)?;
            }
            m.text(text, at)?
        }
        ("contains", [wanted]) => Val::Bool(m.contains(&items, wanted, at)?),
        ("containsAll", [other]) => {
            for wanted in m.items(other, at)?.unwrap_or_default() {
                if !m.contains(&items, &wanted, at)? {
                    return Ok(Some(Val::Bool(false)));
                }
            }
            Val::Bool(true)
        }
        ("indexOf", [wanted]) => {
            for (index, item) in items.iter().enumerate() {
                if m.equal(item, wanted, at)? {
                    return Ok(Some(int(index)));
                }
            }
            Val::Int(-1)
        }
        ("count", [wanted]) => {
            let mut found = 0;
            for item in &items {
                found += usize::from(m.equal(item, wanted, at)?);
            }
            int(found)
        }
        ("intersect" | "disjoint", [other]) => {
            let others = m.items(other, at)?.unwrap_or_default();
            let mut common = Vec::new();
            for item in items {
                if m.contains(&others, &item, at)? {
                    common.push(item);
                }
            }
            if name == "disjoint" {
                Val::Bool(common.is_empty())
            } else {
                m.same_kind(target, common, at)?
            }
        }
        ("flatten", []) => {
            let mut flat = Vec::new();
            flatten(m, items, &mut flat, at)?;
            m.new_list(flat, at)?
        }
        ("withIndex", []) => {
            let mut pairs = Vec::with_capacity(count);
            for (index, item) in items.into_iter().enumerate() {
                pairs.push(m.new_list(vec![item, int(index)], at)?);
            }
            m.new_list(pairs, at)?
        }
        ("indexed", []) => {
            let map = m.new_map("java.util.LinkedHashMap", at)?;
            for (index, item) in items.into_iter().enumerate() {
                m.map_put(map, int(index), item, at)?;
            }
            Val::Map(map)
        }
        ("collectEntries", []) => {
            let map = m.new_map("java.util.LinkedHashMap", at)?;
            for item in items {
                super::map::put_entry(m, map, &item, at)?;
            }
            Val::Map(map)
        }
        ("collate", [_]) if amount > 0 => {
            let chunks = items
                .chunks(amount)
                .map(|chunk| m.new_list(chunk.to_vec(), at))
                .collect::<Thrown<Vec<_>>>()?;
            m.new_list(chunks, at)?
        }
        ("step", [_]) if amount > 0 => {
            m.new_list(items.into_iter().step_by(amount).collect(), at)?
        }
        ("transpose", []) => transpose(m, &items, at)?,
        _ => return Ok(None),
    }))
}

fn flatten(m: &mut Machine<'_>, items: Vec<Val>, out: &mut Vec<Val>, at: u32) -> Thrown<()> {
    for item in items {
        match item {
            Val::List(_) | Val::Set(_) | Val::Array(..) | Val::Range(_) => {
                let inner = m.items(&item, at)?.unwrap_or_default();
                m.deeper(at, |m| flatten(m, inner, out, at))?;
            }
            other => {
                m.slots(1, at)?;
                out.push(other);
            }
        }
    }
    Ok(())
}

fn transpose(m: &mut Machine<'_>, rows: &[Val], at: u32) -> Thrown<Val> {
    let mut columns: Vec<Vec<Val>> = Vec::new();
    for row in rows {
        for (index, item) in m.items(row, at)?.unwrap_or_default().into_iter().enumerate() {
            match columns.get_mut(index) {
                Some(column) => column.push(item),
                None => columns.push(vec![item]),
            }
        }
    }
    columns.retain(|column| column.len() == rows.len());
    let lists =
        columns.into_iter().map(|column| m.new_list(column, at)).collect::<Thrown<Vec<_>>>()?;
    m.new_list(lists, at)
}
