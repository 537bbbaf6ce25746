/// Longest quotation inside a message.
pub const QUOTED_CHARS_MAX: usize = 80;

/// Text of the file as messages quote it: in quotation marks, on one line, not too long.
pub fn quoted(text: &str) -> String {
    let mut shown = String::with_capacity(text.len().min(QUOTED_CHARS_MAX) + 2);
    shown.push('"');
    let mut chars = text.chars();
    for c in chars.by_ref().take(QUOTED_CHARS_MAX) {
        shown.push(if c.is_control() { ' ' } else { c });
    }
    if chars.next().is_some() {
        shown.push('…');
    }
    shown.push('"');
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_quotations_are_cut_at_characters() {
        assert_eq!(quoted("a\nb"), "\"a b\"");
        assert_eq!(quoted(&"é".repeat(100)).chars().count(), QUOTED_CHARS_MAX + 3);
    }
}
