//! Equality, order, truth and membership.

use std::cmp::Ordering;
use std::rc::Rc;

use crate::value::{Key, Val};

use super::machine::{Machine, Thrown};
use super::operators::{Pair, is_collection, promote};

impl Machine<'_> {
    /// `==`: by value, across the types of numbers and texts.
    pub(crate) fn equal(&mut self, a: &Val, b: &Val, at: u32) -> Thrown<bool> {
        self.step(at)?;
        if let Some(pair) = promote(a, b) {
            return Ok(match pair {
                Pair::Int(a, b) => a == b,
                Pair::Long(a, b) => a == b,
                Pair::Big(a, b) => a == b,
                Pair::Dec(a, b) => a.compare(b) == Ordering::Equal,
                Pair::Double(a, b) => a == b,
            });
        }
        Ok(match (a, b) {
            (Val::Null, Val::Null) => true,
            (Val::Null, _) | (_, Val::Null) => false,
            (Val::Bool(a), Val::Bool(b)) => a == b,
            (Val::Date(a), Val::Date(b)) => a == b,
            (Val::Class(a), Val::Class(b)) => a == b,
            (Val::Rounding(a), Val::Rounding(b)) => a == b,
            (Val::Map(x), Val::Map(y)) | (Val::Set(x), Val::Set(y)) => {
                x == y || self.equal_maps(*x, *y, at)?
            }
            (Val::Pair(x), Val::Pair(y)) => {
                let (x, y) =
                    (self.heap.pairs[*x as usize].clone(), self.heap.pairs[*y as usize].clone());
                self.deeper(at, |m| Ok(m.equal(&x.0, &y.0, at)? && m.equal(&x.1, &y.1, at)?))?
            }
            _ if is_collection(a) && is_collection(b) => {
                if super::operators::same(a, b) {
                    return Ok(true);
                }
                if matches!(a, Val::Set(_)) || matches!(b, Val::Set(_)) {
                    return Ok(false);
                }
                let x = self.items(a, at)?.unwrap_or_default();
                let y = self.items(b, at)?.unwrap_or_default();
                if x.len() != y.len() {
                    return Ok(false);
                }
                self.deeper(at, |m| {
                    for (x, y) in x.iter().zip(&y) {
                        if !m.equal(x, y, at)? {
                            return Ok(false);
                        }
                    }
                    Ok(true)
                })?
            }
            _ => match (self.characters(a), self.characters(b)) {
                (Some(a), Some(b)) => {
                    self.steps(a.len().min(b.len()) / 64, at)?;
                    a == b
                }
                _ => super::operators::same(a, b),
            },
        })
    }

    fn equal_maps(&mut self, x: u32, y: u32, at: u32) -> Thrown<bool> {
        let (left, right) = (&self.heap.maps[x as usize], &self.heap.maps[y as usize]);
        if left.entries.len() != right.entries.len() {
            return Ok(false);
        }
        self.steps(left.entries.len(), at)?;
        let left = &self.heap.maps[x as usize];
        let mut pairs = Vec::with_capacity(left.entries.len());
        let right = &self.heap.maps[y as usize];
        for (key, place) in &left.index {
            match right.index.get(key) {
                Some(other) => {
                    pairs.push((left.entries[*place].1.clone(), right.entries[*other].1.clone()));
                }
                None => return Ok(false),
            }
        }
        self.deeper(at, |m| {
            for (a, b) in &pairs {
                if !m.equal(a, b, at)? {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }

    /// `a.equals(b)`: as for keys, where 1 and 1L differ.
    pub(crate) fn strictly_equal(&mut self, a: &Val, b: &Val, at: u32) -> Thrown<bool> {
        Ok(self.key(a, at)? == self.key(b, at)?)
    }

    pub(crate) fn compare(&mut self, a: &Val, b: &Val, at: u32) -> Thrown<Ordering> {
        self.step(at)?;
        if let Some(pair) = promote(a, b) {
            return Ok(match pair {
                Pair::Int(a, b) => a.cmp(&b),
                Pair::Long(a, b) => a.cmp(&b),
                Pair::Big(a, b) => a.cmp(&b),
                Pair::Dec(a, b) => a.compare(b),
                Pair::Double(a, b) => a.partial_cmp(&b).unwrap_or_else(|| a.total_cmp(&b)),
            });
        }
        match (a, b) {
            (Val::Null, Val::Null) => return Ok(Ordering::Equal),
            (Val::Null, _) => return Ok(Ordering::Less),
            (_, Val::Null) => return Ok(Ordering::Greater),
            (Val::Bool(a), Val::Bool(b)) => return Ok(a.cmp(b)),
            (Val::Date(a), Val::Date(b)) => return Ok(a.cmp(b)),
            _ => {}
        }
        if let (Some(a), Some(b)) = (self.characters(a), self.characters(b)) {
            self.steps(a.len().min(b.len()) / 64, at)?;
            return Ok(a.cmp(&b));
        }
        if self.equal(a, b, at)? {
            return Ok(Ordering::Equal);
        }
        let (left, right) = (self.class_name(a), self.class_name(b));
        let message = format!("Cannot compare {left} with {right}");
        Err(self.throw("java.lang.IllegalArgumentException", message, at))
    }

    /// Texts of every class, and characters.
    pub(crate) fn characters(&self, value: &Val) -> Option<Rc<str>> {
        match value {
            Val::Text(text) | Val::GString(text) => Some(text.clone()),
            Val::Char(c) => Some(c.to_string().into()),
            _ => None,
        }
    }

    pub(crate) fn truth(&mut self, value: &Val, at: u32) -> Thrown<bool> {
        Ok(match value {
            Val::Null => false,
            Val::Bool(flag) => *flag,
            Val::Int(number) => *number != 0,
            Val::Long(number) => *number != 0,
            Val::BigInt(number) => *number != 0,
            Val::Dec(number) => !number.is_zero(),
            Val::Double(number) => *number != 0.0,
            Val::Float(number) => *number != 0.0,
            Val::Char(c) => *c != '\0',
            Val::Text(text) | Val::GString(text) => !text.is_empty(),
            Val::List(id) | Val::Array(id, _) => !self.heap.lists[*id as usize].is_empty(),
            Val::Map(id) | Val::Set(id) => !self.heap.maps[*id as usize].entries.is_empty(),
            Val::Range(range) => range.len() > 0,
            Val::Builder(id) => !self.heap.builders[*id as usize].is_empty(),
            Val::Matcher(id) => {
                let matcher = &self.heap.matchers[*id as usize];
                let (text, pattern) = (matcher.text.clone(), matcher.pattern.clone());
                self.steps(text.len() / 4, at)?;
                pattern.find_at(&text, 0).is_some()
            }
            _ => true,
        })
    }

    /// Whether `case candidate:` takes the subject; also what `in` means.
    pub(crate) fn is_case(&mut self, candidate: &Val, subject: &Val, at: u32) -> Thrown<bool> {
        match candidate {
            Val::Class(class) => Ok(self.instance_of(subject, *class)),
            Val::Pattern(pattern) => {
                let text = self.show(subject, at)?;
                self.steps(text.len() / 4, at)?;
                Ok(pattern.is_whole_match(&text))
            }
            Val::Closure(_) => {
                let answer = self.invoke(candidate, "call", vec![subject.clone()], at)?;
                self.truth(&answer, at)
            }
            Val::Map(id) | Val::Set(id) => {
                let found = self.map_get(*id, subject, at)?;
                match candidate {
                    Val::Map(_) => self.truth(&found.unwrap_or(Val::Null), at),
                    _ => Ok(found.is_some()),
                }
            }
            _ if is_collection(candidate) => {
                let items = self.items(candidate, at)?.unwrap_or_default();
                self.contains(&items, subject, at)
            }
            _ => self.equal(candidate, subject, at),
        }
    }

    pub(crate) fn contains(&mut self, items: &[Val], wanted: &Val, at: u32) -> Thrown<bool> {
        for item in items {
            if self.equal(item, wanted, at)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(crate) fn key(&mut self, value: &Val, at: u32) -> Thrown<Key> {
        self.step(at)?;
        Ok(match value {
            Val::Null => Key::Null,
            Val::Bool(flag) => Key::Bool(*flag),
            Val::Int(number) => Key::Int(*number),
            Val::Long(number) => Key::Long(*number),
            Val::BigInt(number) => Key::BigInt(*number),
            Val::Dec(number) => Key::Dec(*number),
            Val::Double(number) => Key::Double(number.to_bits()),
            Val::Float(number) => Key::Double(f64::from(*number).to_bits()),
            Val::Char(c) => Key::Char(*c),
            Val::Text(text) | Val::GString(text) => {
                self.steps(text.len() / 64, at)?;
                Key::Text(text.clone())
            }
            Val::Date(ms) => Key::Date(*ms),
            Val::Map(id) | Val::Set(id) => {
                let entries = self.heap.maps[*id as usize].entries.clone();
                self.steps(entries.len(), at)?;
                let mut keys = self.deeper(at, |m| {
                    let pair =
                        |m: &mut Self, (k, v): &(Val, Val)| Ok((m.key(k, at)?, m.key(v, at)?));
                    entries.iter().map(|entry| pair(m, entry)).collect::<Thrown<Vec<_>>>()
                })?;
                keys.sort_by_cached_key(|(key, _)| format!("{key:?}"));
                Key::Pairs(keys)
            }
            _ if is_collection(value) => {
                let items = self.items(value, at)?.unwrap_or_default();
                Key::List(self.deeper(at, |m| {
                    items.iter().map(|item| m.key(item, at)).collect::<Thrown<Vec<_>>>()
                })?)
            }
            Val::Closure(id) => Key::Other(0, *id),
            Val::Error(id) => Key::Other(1, *id),
            Val::Pair(id) => Key::Other(2, *id),
            Val::Builder(id) => Key::Other(3, *id),
            Val::Matcher(id) => Key::Other(4, *id),
            _ => {
                let text = self.show(value, at)?;
                Key::Text(text.into())
            }
        })
    }
}
