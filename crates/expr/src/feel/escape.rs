use super::mode::Mode;

/// A quoted text without its quotes. Unknown escapes stay as they are, so that regular expressions
/// can be written plainly.
///
/// DIFFERENCE: the standard also knows `\u` and `\U`; Camunda's engine keeps them as written.
pub(super) fn unescape(quoted: &str, mode: Mode) -> String {
    let inner = &quoted[1..quoted.len() - 1];
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(c) = rest.chars().next() else {
            out.push('\\');
            break;
        };
        let plain = match c {
            'n' => Some('\n'),
            't' => Some('\t'),
            'r' => Some('\r'),
            'b' if !mode.is_standard() => Some('\u{8}'),
            'f' if !mode.is_standard() => Some('\u{c}'),
            '"' | '\'' | '\\' => Some(c),
            _ => None,
        };
        if let Some(plain) = plain {
            out.push(plain);
            rest = &rest[c.len_utf8()..];
        } else if let Some((c, length)) = code_point(rest).filter(|_| mode.is_standard()) {
            out.push(c);
            rest = &rest[length..];
        } else {
            out.push('\\');
        }
    }
    out.push_str(rest);
    out
}

/// `uXXXX`, two of them for one character beyond the basic plane, or `UXXXXXX`.
fn code_point(text: &str) -> Option<(char, usize)> {
    if text.starts_with('U') {
        return Some((char::from_u32(hex(text.get(1..7)?)?)?, 7));
    }
    let high = unit(text)?;
    if !(0xd800..0xdc00).contains(&high) {
        return Some((char::from_u32(high)?, 5));
    }
    let low = unit(text.get(5..)?.strip_prefix('\\')?)?;
    if !(0xdc00..0xe000).contains(&low) {
        return None;
    }
    Some((char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00))?, 11))
}

fn unit(text: &str) -> Option<u32> {
    hex(text.strip_prefix('u')?.get(..4)?)
}

fn hex(digits: &str) -> Option<u32> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    plain.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read() {
        let rows = [
            (r#""a\tb\\n\"""#, "a\tb\\n\"", "a\tb\\n\""),
            (r#""\u00e9\U01F600""#, "é😀", r"\u00e9\U01F600"),
            (r#""\uD83D\uDE00 \uD83D""#, "😀 \\uD83D", r"\uD83D\uDE00 \uD83D"),
            (r#""\d+\.\uzzzz""#, r"\d+\.\uzzzz", r"\d+\.\uzzzz"),
        ];
        for (quoted, standard, camunda) in rows {
            assert_eq!(unescape(quoted, Mode::Standard), standard);
            assert_eq!(unescape(quoted, Mode::Camunda8), camunda);
        }
    }
}
