use orloj_xml::Position;

/// The place `offset` bytes into a text that starts at `start`.
pub(crate) fn advanced(start: Position, text: &str, offset: usize) -> Position {
    let before = text.get(..offset).unwrap_or(text);
    let lines = before.matches('\n').count();
    let last = before.rsplit('\n').next().unwrap_or_default().chars().count();
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    match lines {
        0 => Position { column: start.column.saturating_add(number(last)), ..start },
        _ => Position {
            line: start.line.saturating_add(number(lines)),
            column: number(last).saturating_add(1),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_text_are_lines_of_the_file() {
        let start = Position { line: 5, column: 10 };
        let text = "a +\n  b";
        assert_eq!(advanced(start, text, 2), Position { line: 5, column: 12 });
        assert_eq!(advanced(start, text, 6), Position { line: 6, column: 3 });
        assert_eq!(advanced(start, text, 99), Position { line: 6, column: 4 });
    }
}
