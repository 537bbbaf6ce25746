//! Where in a text something is, for people.

use std::fmt::Write as _;

/// Characters of a line that are shown to the left and right of the place.
const AROUND_MAX: usize = 60;

/// The line of `text` that has the byte at `offset`, and a caret under the place:
///
/// ```
/// let shown = orloj_expr::excerpt("1 +\n2 * * 3", 8, "expected a value, found '*'");
/// assert_eq!(shown, "2:5: expected a value, found '*'\n  2 * * 3\n      ^");
/// ```
pub fn excerpt(text: &str, offset: usize, message: &str) -> String {
    let offset = (0..=offset.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    let offset = offset.unwrap_or(0);
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let end = text[offset..].find('\n').map_or(text.len(), |at| offset + at);
    let number = text[..start].matches('\n').count() + 1;
    let column = text[start..offset].chars().count();
    let skipped = column.saturating_sub(AROUND_MAX);
    let mut out = String::new();
    let _ = writeln!(out, "{number}:{}: {message}", column + 1);
    out.push_str(if skipped > 0 { " …" } else { "  " });
    let shown = text[start..end].chars().skip(skipped).take(2 * AROUND_MAX);
    // Tabs and the like would move the caret away from its place.
    out.extend(shown.map(|c| if c.is_control() { ' ' } else { c }));
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', column - skipped + 2));
    out.push('^');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_under_the_place() {
        assert_eq!(excerpt("größe + ", 10, "x"), "1:9: x\n  größe + \n          ^");
        assert_eq!(excerpt("", 0, "x"), "1:1: x\n  \n  ^");
        assert_eq!(excerpt("a\tb", 2, "x"), "1:3: x\n  a b\n    ^");
        let long = format!("{}!", "a".repeat(100));
        let shown = excerpt(&long, 100, "x");
        let lines: Vec<&str> = shown.lines().collect();
        let at = lines[2].chars().count();
        assert_eq!(lines[1].chars().nth(at - 1), Some('!'));
        assert_eq!(excerpt("é", 1, "x"), "1:1: x\n  é\n  ^");
    }
}
