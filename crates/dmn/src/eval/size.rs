//! How much there is to a value.

use orloj_types::{NESTING_MAX, Value};

/// A look at one part takes some ten nanoseconds where values are nested, a step of an expression
/// some tens of them.
pub(crate) const PARTS_PER_STEP: usize = 4;
/// A look at all of them takes a few milliseconds.
const PARTS_MAX: usize = 100_000;

/// The items and entries inside of a value; an error when there are too many of them, or when they
/// lie too deep inside of each other to be written or dropped.
pub(crate) fn parts_of(value: &Value) -> Result<usize, String> {
    let mut left = PARTS_MAX;
    walk(value, NESTING_MAX, &mut left)?;
    Ok(PARTS_MAX - left)
}

fn walk(value: &Value, depth_left: usize, left: &mut usize) -> Result<(), String> {
    let count = match value {
        Value::List(items) => items.len(),
        Value::Map(entries) => entries.len(),
        _ => return Ok(()),
    };
    let Some(depth_left) = depth_left.checked_sub(1) else {
        return Err(format!("lists and contexts are nested deeper than {NESTING_MAX}"));
    };
    *left = left
        .checked_sub(count)
        .ok_or_else(|| format!("the value has more than {PARTS_MAX} parts"))?;
    match value {
        Value::List(items) => items.iter().try_for_each(|item| walk(item, depth_left, left)),
        Value::Map(entries) => entries.values().try_for_each(|entry| walk(entry, depth_left, left)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_parts_are_counted_as_often_as_they_occur() {
        let mut value = Value::Int(1);
        for _ in 0..10 {
            value = Value::list(vec![value.clone(), value]);
        }
        assert_eq!(parts_of(&value), Ok(2046));
        for _ in 0..100 {
            value = Value::list(vec![value.clone(), value]);
        }
        assert!(parts_of(&value).expect_err("too many").contains("100000 parts"));
    }

    #[test]
    fn depth_has_a_limit() {
        let mut value = Value::Int(1);
        for _ in 0..NESTING_MAX {
            value = Value::list(vec![value]);
        }
        assert_eq!(parts_of(&value), Ok(NESTING_MAX));
        assert!(parts_of(&Value::list(vec![value])).is_err());
    }
}
