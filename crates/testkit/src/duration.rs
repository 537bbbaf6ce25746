//! Durations as people write them: `9m59s`, `1h`, `250ms`, `2d`.

const UNITS: [(&str, i64); 5] =
    [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

/// Milliseconds; `None` when the text is no such duration.
pub fn parse(text: &str) -> Option<i64> {
    let mut rest = text;
    let mut total = 0_i64;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let (number, tail) = rest.split_at(digits);
        let letters = tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(letters);
        let (_, ms) = UNITS.iter().find(|(name, _)| *name == unit)?;
        total = total.checked_add(number.parse::<i64>().ok()?.checked_mul(*ms)?)?;
        rest = tail;
    }
    (!text.is_empty()).then_some(total)
}

/// The same in ISO 8601, as models want it.
pub fn iso(ms: i64) -> String {
    match ms % 1_000 {
        0 => format!("PT{}S", ms / 1_000),
        rest => format!("PT{}.{rest:03}S", ms / 1_000),
    }
}

pub fn show(ms: i64) -> String {
    if ms == 0 {
        return "0s".to_owned();
    }
    let mut shown = String::new();
    let mut rest = ms;
    for (name, unit) in UNITS.iter().rev() {
        if rest / unit > 0 {
            shown.push_str(&format!("{}{name}", rest / unit));
            rest %= unit;
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_shows() {
        for (text, ms) in
            [("9m59s", 599_000), ("250ms", 250), ("1h1s", 3_601_000), ("2d", 2 * 86_400_000)]
        {
            assert_eq!(parse(text), Some(ms));
            assert_eq!(show(ms), text);
        }
        for text in ["", "m", "5", "5x", "5 m", "PT5M"] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!((iso(599_000), iso(1_250)), ("PT599S".to_owned(), "PT1.250S".to_owned()));
    }
}
