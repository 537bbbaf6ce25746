//! New texts from old ones.

use crate::random::Random;

/// Longest text made; long enough for every limit on nesting, short enough to try many.
const BYTES_MAX: usize = 16 << 10;
const STEPS_MAX: usize = 6;

/// Numbers and characters at which programs break.
const ODD: &[&str] = &[
    "0",
    "-1",
    "1e400",
    "9223372036854775807",
    "-9223372036854775808",
    "99999999999999999999999999999999999999999",
    "0.1e-300",
    "\u{0}",
    "\u{feff}",
    "\u{1f600}",
    "é",
    "\u{2028}",
    "\n",
    "\t",
    "\\",
    "\"",
    "'",
    "`",
    "$",
    "}",
    "]]>",
];

const PAIRS: &[(&str, &str)] = &[("(", ")"), ("[", "]"), ("{", "}"), ("\"", "\""), ("not(", ")")];

/// A seed, changed a few times. `words` are the words of the language.
pub fn mutated(seeds: &[&str], words: &[&str], random: &mut Random) -> String {
    let mut text = random.pick(seeds).to_owned();
    for _ in 0..=random.below(STEPS_MAX) {
        change(&mut text, seeds, words, random);
        if text.len() > BYTES_MAX {
            let end = boundary(&text, BYTES_MAX);
            text.truncate(end);
        }
    }
    text
}

fn change(text: &mut String, seeds: &[&str], words: &[&str], random: &mut Random) {
    let (start, end) = span(text, random);
    match random.below(10) {
        0 => text.replace_range(start..end, ""),
        1 => text.insert_str(start, random.pick(words)),
        2 => text.replace_range(start..end, random.pick(words)),
        3 => text.insert_str(start, random.pick(ODD)),
        4 => text.replace_range(start..end, random.pick(ODD)),
        5 => {
            let other = random.pick(seeds);
            let (from, to) = span(other, random);
            text.replace_range(start..end, &other[from..to]);
        }
        6 => {
            let times = if random.one_in(20) { 1_000 } else { random.below(4) + 1 };
            let piece = text[start..end].repeat(times.min(BYTES_MAX / (end - start).max(1)));
            text.insert_str(end, &piece);
        }
        7 => {
            let (open, close) = PAIRS[random.below(PAIRS.len())];
            let depth = if random.one_in(20) { 1_000 } else { 1 };
            text.insert_str(end, &close.repeat(depth));
            text.insert_str(start, &open.repeat(depth));
        }
        8 => {
            let other = random.pick(seeds);
            text.insert_str(start, other);
        }
        _ => {
            let piece = text[start..end].to_owned();
            text.replace_range(start..end, "");
            let at = boundary(text, random.below(text.len() + 1));
            text.insert_str(at, &piece);
        }
    }
}

/// A piece of the text, short more often than long.
fn span(text: &str, random: &mut Random) -> (usize, usize) {
    let start = boundary(text, random.below(text.len() + 1));
    let longest = if random.one_in(4) { text.len() - start } else { 8.min(text.len() - start) };
    let end = boundary(text, start + random.below(longest + 1));
    (start, end.max(start))
}

fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
