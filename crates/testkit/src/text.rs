//! Splitting text outside of brackets and quotes.

/// The parts between separators that stand outside of brackets and double quotes.
pub(crate) fn split_outside<'t>(text: &'t str, separator: &str) -> Result<Vec<&'t str>, String> {
    let mut parts = Vec::new();
    let (mut from, mut skip_to) = (0, 0);
    let mut depth = Depth::default();
    for (at, c) in text.char_indices() {
        if at < skip_to {
            continue;
        }
        if depth.is_outside() && text[at..].starts_with(separator) {
            parts.push(&text[from..at]);
            from = at + separator.len();
            skip_to = from;
            continue;
        }
        depth.take(c);
    }
    if !depth.is_outside() {
        return Err("a bracket is not closed".into());
    }
    parts.push(&text[from..]);
    Ok(parts)
}

/// What stands between a bracket at the beginning and its partner at the end.
pub(crate) fn bracketed(text: &str, open: char, close: char) -> Result<&str, String> {
    let inside = text.trim().strip_prefix(open).and_then(|text| text.strip_suffix(close));
    inside.map(str::trim).ok_or_else(|| format!("'{text}' should stand in {open}…{close}"))
}

#[derive(Default)]
struct Depth {
    brackets: usize,
    in_quotes: bool,
    is_escaped: bool,
}

impl Depth {
    fn is_outside(&self) -> bool {
        self.brackets == 0 && !self.in_quotes
    }

    fn take(&mut self, c: char) {
        if self.in_quotes {
            self.in_quotes = self.is_escaped || c != '"';
            self.is_escaped = c == '\\' && !self.is_escaped;
            return;
        }
        match c {
            '"' => self.in_quotes = true,
            '{' | '(' | '[' => self.brackets += 1,
            '}' | ')' | ']' => self.brackets = self.brackets.saturating_sub(1),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_and_quotes_keep_together() {
        let split = |text| split_outside(text, ",").map(|parts| parts.join("|"));
        assert_eq!(
            split(r#"a, {b, (c, d)}, "e, \", f""#).as_deref(),
            Ok(r#"a| {b, (c, d)}| "e, \", f""#)
        );
        assert_eq!(split("a{b"), Err("a bracket is not closed".into()));
        assert_eq!(split("").as_deref(), Ok(""));
    }
}
