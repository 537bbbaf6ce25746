//! Lists, maps, sets and indexes.

use std::collections::HashMap;

use crate::classes::Class;
use crate::value::{Id, MapObject, Val};

use super::machine::{Machine, SLOT_BYTES, Thrown, id_of};

impl Machine<'_> {
    pub(crate) fn new_list(&mut self, items: Vec<Val>, at: u32) -> Thrown<Val> {
        self.bytes(24 + items.len() * SLOT_BYTES, at)?;
        self.heap.lists.push(items);
        Ok(Val::List(id_of(self.heap.lists.len() - 1)))
    }

    pub(crate) fn new_array_of(
        &mut self,
        items: Vec<Val>,
        class: &'static str,
        at: u32,
    ) -> Thrown<Val> {
        match self.new_list(items, at)? {
            Val::List(id) => Ok(Val::Array(id, Class::known(class))),
            other => Ok(other),
        }
    }

    pub(crate) fn new_map(&mut self, class: &'static str, at: u32) -> Thrown<Id> {
        self.bytes(size_of::<MapObject>(), at)?;
        self.heap.maps.push(MapObject {
            class: Class::known(class),
            entries: Vec::new(),
            index: HashMap::new(),
            default: None,
            immutable: false,
        });
        Ok(id_of(self.heap.maps.len() - 1))
    }

    pub(crate) fn new_set(&mut self, items: Vec<Val>, class: &'static str, at: u32) -> Thrown<Val> {
        let set = self.new_map(class, at)?;
        for item in items {
            self.map_put(set, item, Val::Null, at)?;
        }
        Ok(Val::Set(set))
    }

    pub(crate) fn new_pair(&mut self, key: Val, value: Val, at: u32) -> Thrown<Val> {
        self.slots(2, at)?;
        self.heap.pairs.push((key, value));
        Ok(Val::Pair(id_of(self.heap.pairs.len() - 1)))
    }

    /// A collection like `model` with other items.
    pub(crate) fn same_kind(&mut self, model: &Val, items: Vec<Val>, at: u32) -> Thrown<Val> {
        match model {
            Val::Set(_) => self.new_set(items, "java.util.LinkedHashSet", at),
            _ => self.new_list(items, at),
        }
    }

    /// A copy of what iterating gives: items, entries, characters. `None` for what has none.
    pub(crate) fn items(&mut self, value: &Val, at: u32) -> Thrown<Option<Vec<Val>>> {
        Ok(Some(match value {
            Val::List(id) | Val::Array(id, _) => {
                self.steps(self.heap.lists[*id as usize].len(), at)?;
                self.heap.lists[*id as usize].clone()
            }
            Val::Set(id) => {
                self.steps(self.heap.maps[*id as usize].entries.len(), at)?;
                self.heap.maps[*id as usize].entries.iter().map(|(key, _)| key.clone()).collect()
            }
            Val::Map(id) => {
                let entries = self.heap.maps[*id as usize].entries.clone();
                let mut pairs = Vec::with_capacity(entries.len());
                for (key, value) in entries {
                    self.step(at)?;
                    pairs.push(self.new_pair(key, value, at)?);
                }
                pairs
            }
            Val::Range(range) => {
                let count = range.len();
                self.slots(count, at)?;
                self.steps(count, at)?;
                (0..count).map(|index| range.get(index)).collect()
            }
            Val::Text(text) | Val::GString(text) => {
                let count = text.chars().count();
                self.slots(count, at)?;
                self.steps(count, at)?;
                text.chars().map(|c| Val::text(c.to_string())).collect()
            }
            Val::Matcher(_) => self.all_matches(value, at)?,
            _ => return Ok(None),
        }))
    }

    pub(crate) fn list_add(&mut self, list: &Val, item: Val, at: u32) -> Thrown<()> {
        if let Val::List(id) = list {
            self.slots(1, at)?;
            self.heap.lists[*id as usize].push(item);
        }
        Ok(())
    }

    pub(crate) fn map_get(&mut self, map: Id, key: &Val, at: u32) -> Thrown<Option<Val>> {
        let wanted = self.key(key, at)?;
        let object = &self.heap.maps[map as usize];
        Ok(object.index.get(&wanted).map(|place| object.entries[*place].1.clone()))
    }

    /// As a script reads it: with the map's default.
    pub(crate) fn map_read(&mut self, map: Id, key: &Val, at: u32) -> Thrown<Val> {
        if let Some(found) = self.map_get(map, key, at)? {
            return Ok(found);
        }
        match self.heap.maps[map as usize].default {
            Some(closure) => {
                let value = self.call(closure, vec![key.clone()], at)?;
                self.map_put(map, key.clone(), value.clone(), at)?;
                Ok(value)
            }
            None => Ok(Val::Null),
        }
    }

    /// The value that was there before.
    pub(crate) fn map_put(
        &mut self,
        map: Id,
        key: Val,
        value: Val,
        at: u32,
    ) -> Thrown<Option<Val>> {
        let wanted = self.key(&key, at)?;
        if self.heap.maps[map as usize].immutable {
            return Err(self.unmodifiable(at));
        }
        let object = &mut self.heap.maps[map as usize];
        if let Some(place) = object.index.get(&wanted) {
            let place = *place;
            return Ok(Some(std::mem::replace(&mut object.entries[place].1, value)));
        }
        object.index.insert(wanted, object.entries.len());
        object.entries.push((key, value));
        let is_sorted = object.class.simple_name().starts_with("Tree");
        self.slots(3, at)?;
        if is_sorted {
            self.sort_map(map, at)?;
        }
        Ok(None)
    }

    fn sort_map(&mut self, map: Id, at: u32) -> Thrown<()> {
        let entries = std::mem::take(&mut self.heap.maps[map as usize].entries);
        let sorted = self.sorted(entries, at, |m, a, b| m.compare(&a.0, &b.0, at))?;
        self.refill(map, sorted, at)
    }

    /// Replaces all entries.
    pub(crate) fn refill(&mut self, map: Id, entries: Vec<(Val, Val)>, at: u32) -> Thrown<()> {
        let mut index = HashMap::with_capacity(entries.len());
        for (place, (key, _)) in entries.iter().enumerate() {
            index.insert(self.key(key, at)?, place);
        }
        let object = &mut self.heap.maps[map as usize];
        object.entries = entries;
        object.index = index;
        Ok(())
    }

    pub(crate) fn map_put_all(&mut self, map: Id, from: &Val, at: u32) -> Thrown<()> {
        if let Val::Map(from) = from {
            let entries = self.heap.maps[*from as usize].entries.clone();
            for (key, value) in entries {
                self.map_put(map, key, value, at)?;
            }
        }
        Ok(())
    }

    pub(crate) fn map_remove(&mut self, map: Id, key: &Val, at: u32) -> Thrown<Option<Val>> {
        let wanted = self.key(key, at)?;
        let count = self.heap.maps[map as usize].entries.len();
        self.steps(count, at)?;
        if self.heap.maps[map as usize].immutable {
            return Err(self.unmodifiable(at));
        }
        let object = &mut self.heap.maps[map as usize];
        let Some(place) = object.index.remove(&wanted) else { return Ok(None) };
        let (_, value) = object.entries.remove(place);
        for later in object.index.values_mut().filter(|later| **later > place) {
            *later -= 1;
        }
        Ok(Some(value))
    }

    pub(crate) fn copy_map(&mut self, map: Id, at: u32) -> Thrown<Id> {
        let count = self.heap.maps[map as usize].entries.len();
        self.slots(count * 3, at)?;
        let copy = MapObject { immutable: false, ..self.heap.maps[map as usize].clone() };
        self.heap.maps.push(copy);
        Ok(id_of(self.heap.maps.len() - 1))
    }

    pub(crate) fn unmodifiable(&mut self, at: u32) -> super::machine::Stop {
        self.throw(
            "java.lang.UnsupportedOperationException",
            "the collection cannot be changed",
            at,
        )
    }

    /// `holder[index]`
    pub(crate) fn index(&mut self, holder: &Val, index: &Val, at: u32) -> Thrown<Val> {
        match (holder, index) {
            (Val::Null, _) => Err(self.throw(
                "java.lang.NullPointerException",
                "Cannot invoke method getAt() on null object",
                at,
            )),
            (Val::Map(id), _) => self.map_read(*id, index, at),
            (_, Val::Range(range)) => {
                let (range, count) = (range.clone(), self.length(holder, at)?);
                let mut places = Vec::new();
                for place in self.range_places(&range, count, at)? {
                    places.push(self.index_one(holder, place, at)?);
                }
                self.join_indexed(holder, places, at)
            }
            (_, Val::List(id)) => {
                let places = self.heap.lists[*id as usize].clone();
                let mut items = Vec::with_capacity(places.len());
                for place in places {
                    items.push(self.index(holder, &place, at)?);
                }
                self.join_indexed(holder, items, at)
            }
            (_, Val::Text(name) | Val::GString(name)) => self.get_property(holder, name, at),
            _ => {
                let place = self.whole(index, at)?;
                self.index_one(holder, place, at)
            }
        }
    }

    fn join_indexed(&mut self, holder: &Val, items: Vec<Val>, at: u32) -> Thrown<Val> {
        if holder.as_text().is_none() {
            return self.new_list(items, at);
        }
        let mut text = String::new();
        for item in &items {
            self.show_into(item, &mut text, at)?;
        }
        self.text(text, at)
    }

    /// The places of `a..b`, where negative ends count from the back.
    fn range_places(
        &mut self,
        range: &crate::value::Range,
        count: usize,
        at: u32,
    ) -> Thrown<Vec<i64>> {
        let crate::value::Range::Int { from, to, open_start, open_end } = *range else {
            return Err(self.throw("java.lang.IllegalArgumentException", "not an index", at));
        };
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let absolute = |end: i64| if end < 0 { end + count } else { end };
        let (mut from, mut to) = (absolute(from), absolute(to));
        if open_start {
            from += if from <= to { 1 } else { -1 };
        }
        if open_end {
            to += if from <= to { -1 } else { 1 };
        }
        if open_end && range.len() == 0 {
            return Ok(Vec::new());
        }
        let outside = |end: i64| end < 0 || end >= count;
        if outside(from) && count > 0 || outside(to) {
            let message = format!("range {from}..{to} is outside of 0 to {count}");
            return Err(self.throw("java.lang.IndexOutOfBoundsException", message, at));
        }
        let size = usize::try_from(from.abs_diff(to)).unwrap_or(usize::MAX);
        self.slots(size, at)?;
        Ok(if from <= to { (from..=to).collect() } else { (to..=from).rev().collect() })
    }

    fn length(&mut self, holder: &Val, at: u32) -> Thrown<usize> {
        Ok(match holder {
            Val::List(id) | Val::Array(id, _) => self.heap.lists[*id as usize].len(),
            Val::Range(range) => range.len(),
            Val::Text(text) | Val::GString(text) => {
                self.steps(text.len() / 64, at)?;
                text.chars().count()
            }
            _ => self.items(holder, at)?.map_or(0, |items| items.len()),
        })
    }

    fn index_one(&mut self, holder: &Val, place: i64, at: u32) -> Thrown<Val> {
        let count = match holder {
            Val::List(_)
            | Val::Array(..)
            | Val::Range(_)
            | Val::Text(_)
            | Val::GString(_)
            | Val::Set(_)
            | Val::Matcher(_) => self.length(holder, at)?,
            _ => return Err(self.no_method(holder, "getAt", &[Val::Long(place)], at)),
        };
        let signed = i64::try_from(count).unwrap_or(i64::MAX);
        let found = usize::try_from(if place < 0 { place + signed } else { place }).ok();
        let found = match (found.filter(|place| *place < count), holder) {
            (Some(found), _) => found,
            (None, Val::List(_) | Val::Range(_) | Val::Set(_)) if place >= 0 => {
                return Ok(Val::Null);
            }
            (None, Val::Text(_) | Val::GString(_)) => {
                let message = format!("begin {place}, end {}, length {count}", place + 1);
                return Err(self.throw("java.lang.StringIndexOutOfBoundsException", message, at));
            }
            _ if place < 0 => {
                let message =
                    format!("Negative array index [{place}] too large for array size {count}");
                return Err(self.throw("java.lang.ArrayIndexOutOfBoundsException", message, at));
            }
            _ => {
                let message = format!("Index {place} out of bounds for length {count}");
                return Err(self.throw("java.lang.ArrayIndexOutOfBoundsException", message, at));
            }
        };
        Ok(match holder {
            Val::List(id) | Val::Array(id, _) => self.heap.lists[*id as usize][found].clone(),
            Val::Range(range) => range.get(found),
            Val::Text(text) | Val::GString(text) => {
                Val::text(text.chars().nth(found).unwrap_or_default().to_string())
            }
            _ => self
                .items(holder, at)?
                .and_then(|items| items.get(found).cloned())
                .unwrap_or(Val::Null),
        })
    }

    /// `holder[index] = value`
    pub(crate) fn set_index(
        &mut self,
        holder: &Val,
        index: &Val,
        value: Val,
        at: u32,
    ) -> Thrown<()> {
        match holder {
            Val::Map(id) => {
                self.map_put(*id, index.clone(), value, at)?;
                Ok(())
            }
            Val::List(id) | Val::Array(id, _) => {
                let place = self.whole(index, at)?;
                let count = self.heap.lists[*id as usize].len();
                let signed = i64::try_from(count).unwrap_or(i64::MAX);
                let place = if place < 0 { place + signed } else { place };
                let Ok(place) = usize::try_from(place) else {
                    let message =
                        format!("Negative array index [{place}] too large for array size {count}");
                    return Err(self.throw(
                        "java.lang.ArrayIndexOutOfBoundsException",
                        message,
                        at,
                    ));
                };
                if place >= count {
                    if matches!(holder, Val::Array(..)) {
                        let message = format!("Index {place} out of bounds for length {count}");
                        return Err(self.throw(
                            "java.lang.ArrayIndexOutOfBoundsException",
                            message,
                            at,
                        ));
                    }
                    self.slots((place - count).saturating_add(1), at)?;
                    self.heap.lists[*id as usize].resize(place + 1, Val::Null);
                }
                self.heap.lists[*id as usize][place] = value;
                Ok(())
            }
            Val::Null => Err(self.throw(
                "java.lang.NullPointerException",
                "Cannot invoke method putAt() on null object",
                at,
            )),
            other => Err(self.no_method(other, "putAt", &[index.clone(), value], at)),
        }
    }

    /// Merge sort with a fallible order, stable as Java's.
    pub(crate) fn sorted<T: Clone>(
        &mut self,
        items: Vec<T>,
        at: u32,
        mut order: impl FnMut(&mut Self, &T, &T) -> Thrown<std::cmp::Ordering>,
    ) -> Thrown<Vec<T>> {
        let mut runs: Vec<Vec<T>> = items.into_iter().map(|item| vec![item]).collect();
        while runs.len() > 1 {
            let mut merged = Vec::with_capacity(runs.len() / 2 + 1);
            let mut pairs = runs.into_iter();
            while let Some(left) = pairs.next() {
                let Some(right) = pairs.next() else {
                    merged.push(left);
                    break;
                };
                let mut out = Vec::with_capacity(left.len() + right.len());
                let (mut left, mut right) =
                    (left.into_iter().peekable(), right.into_iter().peekable());
                while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
                    self.step(at)?;
                    let next = if order(self, a, b)?.is_le() { left.next() } else { right.next() };
                    out.extend(next);
                }
                out.extend(left);
                out.extend(right);
                merged.push(out);
            }
            runs = merged;
        }
        Ok(runs.pop().unwrap_or_default())
    }
}
